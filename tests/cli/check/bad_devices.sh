# Whole numbers from 1 to 32 alone.
for devices in 0 33 -1 x 1.5 '' 99999999999999999999; do
    status=0
    "$ONCHIP_BIN" check --devices "$devices" || status=$?
    echo "$status"
done
