"$ONCHIP_BIN" inspect --frobnicate
