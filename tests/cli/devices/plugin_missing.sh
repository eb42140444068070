"$ONCHIP_BIN" devices --plugin nowhere.so
