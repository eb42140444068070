"$ONCHIP_BIN" launch --no-such-option
