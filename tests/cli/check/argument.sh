"$ONCHIP_BIN" check cpu
