"$ONCHIP_BIN" verify nowhere.json --require cpu
