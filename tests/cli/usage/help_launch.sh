"$ONCHIP_BIN" launch --help
