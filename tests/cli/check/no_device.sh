"$ONCHIP_BIN" check --plugin "$ONCHIP_TEST_FAKES/libfake_init_fails.so"
