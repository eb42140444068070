# A shell script speaks the protocol; what it writes goes to its log.
cat >job <<'END'
echo talk
echo '{"event": "started", "pid": 1, "backend": "sh", "device_count": 0, "devices": []}' >&3
echo '{"event": "ready", "compile_s": 0, "warmup_s": 0}' >&3
for step in 1 2 3; do
    echo '{"event": "progress", "step": '$step', "loss": 1, "examples": 1, "update_s": 0, "state_hash": ""}' >&3
done
echo '{"event": "completed", "step": 3}' >&3
END
"$ONCHIP_BIN" launch --run-dir run --steps 3 -- sh job
cat run/job.log
