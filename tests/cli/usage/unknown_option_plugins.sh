"$ONCHIP_BIN" plugins --frobnicate
