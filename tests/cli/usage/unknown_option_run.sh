"$ONCHIP_BIN" run --frobnicate
