"$ONCHIP_BIN" check --frobnicate
