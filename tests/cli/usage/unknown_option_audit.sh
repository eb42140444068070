"$ONCHIP_BIN" audit --frobnicate
