"$ONCHIP_BIN" check --plugin "$ONCHIP_TEST_FAKES/libfake_honest.so" --devices 4 --nonce 5eed
