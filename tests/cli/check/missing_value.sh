"$ONCHIP_BIN" check --platform
