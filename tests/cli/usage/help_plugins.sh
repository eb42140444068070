"$ONCHIP_BIN" plugins --help
