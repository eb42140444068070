/* onchip-train: the built-in job of `onchip launch`, a process of its own.
 *
 * It speaks docs/launch-protocol.md like any command: ONCHIP_RUN_DIR, ONCHIP_STEPS,
 * ONCHIP_CHECKPOINTS (folder) and, on a resume, ONCHIP_RESUME (a checkpoint's folder)
 * come by the environment, events go to descriptor 3. Its configuration is config.json
 * of the run folder. ONCHIP_DEVICE_TIMEOUT_MS (default: a day, so that the launcher's
 * limits are the ones that count) is the time that the device has for each thing that
 * it is asked: to open, to compile, a step, a transfer. The plugin lives in
 * onchip-worker (room device), so that a plugin that dies or hangs is a `failed` event
 * with its boundary.
 *
 * A step: in one exchange with the worker execute the update program on the device's
 * own buffers, awaited, bring back the record (fit/fit.h) and free the buffers of the
 * step before; append the record to trajectory.bin; emit `progress`. Every
 * checkpoint_every steps, and at the last: fdatasync of the trajectory, then
 * oc__checkpoint_write of state.bin (the record's bytes) and, with state_mib,
 * ballast.bin (read from the device), `checkpoint`, prune to two. On SIGTERM: the step
 * that runs is finished, a checkpoint is written where there is none of it (of step 0,
 * too), exit 75. A launcher that is gone ends the job at once. Before it ends it emits
 * `observed`: owner of the state's buffers, what the kernel shows, versions, compile
 * options, timings. */
#ifndef ONCHIP_TRAIN_TRAIN_H
#define ONCHIP_TRAIN_TRAIN_H

/* The process; yields its exit status: 0, 75, or that of the error that it emitted. */
int oc__train(void);

#endif
