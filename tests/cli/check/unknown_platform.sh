"$ONCHIP_BIN" check --platform frobnicator
