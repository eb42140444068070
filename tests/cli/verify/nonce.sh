# Status 0 for the receipt that answers the nonce, 1 for the one that does not.
receipts=$ONCHIP_TEST_SOURCE/tests/data/receipts
cp "$receipts/good-cpu.json" old.json
cp "$receipts/good-cpu-nonce-5eed0123.json" answer.json
for receipt in answer.json old.json; do
    status=0
    "$ONCHIP_BIN" verify "$receipt" --require cpu --nonce 5EED0123 || status=$?
    echo "$status"
done
