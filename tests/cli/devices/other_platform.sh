# The list is shown, and it is no success.
"$ONCHIP_BIN" devices --platform cpu \
    --plugin "$ONCHIP_TEST_FAKES/libfake_reports_other_platform.so"
