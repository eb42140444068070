"$ONCHIP_BIN" frobnicate --help
