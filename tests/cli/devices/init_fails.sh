"$ONCHIP_BIN" devices --plugin "$ONCHIP_TEST_FAKES/libfake_init_fails.so" --json
