"$ONCHIP_BIN" inspect --help
