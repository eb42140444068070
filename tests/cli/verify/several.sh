# A good one, an answer to a nonce, one that failed, one that is cut, and one that is not there.
receipts=$ONCHIP_TEST_SOURCE/tests/data/receipts
cp "$receipts/good-cpu.json" good.json
cp "$receipts/good-cpu-nonce-5eed0123.json" nonce.json
cp "$receipts/failed-tpu-init.json" failed.json
head -c 1000 good.json >cut.json
"$ONCHIP_BIN" verify good.json nonce.json failed.json cut.json nowhere.json --require cpu
