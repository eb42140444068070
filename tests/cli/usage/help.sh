"$ONCHIP_BIN" --help
