"$ONCHIP_BIN" run --help
