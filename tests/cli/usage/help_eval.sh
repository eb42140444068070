"$ONCHIP_BIN" eval --help
