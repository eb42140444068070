# Every number names its option and its range.
for option in steps timeout start-timeout stall-timeout grace checkpoint-every batch seed state-mib; do
    for value in x -1 99999999999 ''; do
        status=0
        "$ONCHIP_BIN" launch --platform cpu --run-dir run --$option="$value" || status=$?
        echo "$status"
    done
done
ls
