"$ONCHIP_BIN" verify --help
