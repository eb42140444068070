# Seconds from a millisecond to a day.
for timeout in 0 -1 x 1x nan inf 86401 0.0001 ''; do
    status=0
    "$ONCHIP_BIN" check --timeout "$timeout" || status=$?
    echo "$status"
done
