# The receipt that README.md shows holds.
cp -r "$ONCHIP_TEST_SOURCE/docs/example" example
"$ONCHIP_BIN" verify example --require cpu
