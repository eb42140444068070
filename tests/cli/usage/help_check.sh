"$ONCHIP_BIN" check --help
