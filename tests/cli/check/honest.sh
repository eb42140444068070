# What a user sees of a run that passes, the figure too, with another plugin than the default.
"$ONCHIP_BIN" check --plugin "$ONCHIP_TEST_FAKES/libfake_honest.so"
