for option in --platform --plugin --run-dir; do
    status=0
    "$ONCHIP_BIN" check "$option" '' || status=$?
    echo "$status"
done
