# A platform that is not there is status 3 and never the CPU.
status=0
HOME=$PWD PATH=/usr/bin:/bin "$ONCHIP_BIN" launch --platform tpu --run-dir run 2>error || status=$?
grep -c 'no plugin for tpu' error
exit "$status"
