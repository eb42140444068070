cp "$ONCHIP_TEST_SOURCE/tests/data/receipts/good-cpu.json" good.json
"$ONCHIP_BIN" verify good.json --require tpu
