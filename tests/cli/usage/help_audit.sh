"$ONCHIP_BIN" audit --help
