"$ONCHIP_BIN" devices --frobnicate
