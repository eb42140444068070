# Evidence is never overwritten.
mkdir run
echo kept >run/receipt.json
status=0
"$ONCHIP_BIN" check --plugin "$ONCHIP_TEST_FAKES/libfake_honest.so" --run-dir run || status=$?
cat run/receipt.json
exit "$status"
