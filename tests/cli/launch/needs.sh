# What must be given, and what does not go together.
for arguments in '' '--run-dir run' '--run-dir run --restart --platform cpu' \
    '--run-dir run --platform cpu true' '--run-dir run --platform cpu -- true' \
    '--run-dir run --batch 4 -- true' '--run-dir run -- no-such-program' '--run-dir run --'; do
    status=0
    # shellcheck disable=SC2086 # words
    "$ONCHIP_BIN" launch $arguments || status=$?
    echo "$status"
done
ls
