# Status 0 is not enough.
status=0
"$ONCHIP_BIN" launch --run-dir run -- true || status=$?
"$ONCHIP_BIN" launch --run-dir run --resume 2>error || status=$?$status
sed "s|$PWD|PWD|" error >&2
echo "$status"
