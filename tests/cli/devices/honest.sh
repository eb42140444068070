"$ONCHIP_BIN" devices --plugin "$ONCHIP_TEST_FAKES/libfake_honest.so"
