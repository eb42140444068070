"$ONCHIP_BIN" eval --frobnicate
