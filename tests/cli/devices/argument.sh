"$ONCHIP_BIN" devices cpu
