# One value of each prediction is another.
sed 's/2\.21875/2.25/' "$ONCHIP_TEST_SOURCE/tests/data/receipts/good-cpu.json" >forged.json
"$ONCHIP_BIN" verify forged.json --require cpu
