"$ONCHIP_BIN" verify --require cpu
