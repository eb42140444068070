# Nothing of the environment, so nothing is found: status 3, tpu named, and no run on the CPU.
env -i ONCHIP_WORKER="$ONCHIP_WORKER" COURSE_EXPECT_PLATFORM=tpu "$ONCHIP_BIN" check
