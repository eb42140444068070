# Hexadecimal of 1 to 64 bytes; the 130 digits are one byte too long.
for nonce in '' abc xy 0x12 "$(printf '%0130d' 0)"; do
    status=0
    "$ONCHIP_BIN" check --nonce "$nonce" || status=$?
    echo "$status"
done
