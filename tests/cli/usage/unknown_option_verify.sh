"$ONCHIP_BIN" verify --frobnicate
