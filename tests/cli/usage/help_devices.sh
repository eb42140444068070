"$ONCHIP_BIN" devices --help
