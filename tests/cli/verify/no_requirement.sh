"$ONCHIP_BIN" verify -
