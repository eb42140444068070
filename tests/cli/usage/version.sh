"$ONCHIP_BIN" --version
