# The line that is fitted on the CPU, and gone on with.
"$ONCHIP_BIN" launch --platform cpu --run-dir run --steps 4
"$ONCHIP_BIN" launch --run-dir run --resume --steps 8 >answer
cat answer
ls run run/history
"$ONCHIP_BIN" verify run --require cpu
