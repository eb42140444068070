"$ONCHIP_BIN" verify - --require cpu --nonce xyz
