# A folder with something in it is left alone.
mkdir run
echo kept >run/file
status=0
"$ONCHIP_BIN" launch --platform cpu --run-dir run 2>error || status=$?
sed "s|$PWD|PWD|" error >&2
cat run/file
ls run
exit "$status"
