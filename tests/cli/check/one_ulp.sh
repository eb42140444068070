# A verdict that is FAIL is an answer: its lines stand on stdout and nothing on stderr.
"$ONCHIP_BIN" check --plugin "$ONCHIP_TEST_FAKES/libfake_one_ulp.so"
