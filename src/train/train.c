#include "train.h"

#include "base/clock.h"
#include "train_config.h"
#include "train_device.h"
#include "train_events.h"
#include "trajectory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PREEMPTED = 75, STEP_WORD = 2, MIB = 1 << 20 };

static volatile sig_atomic_t stop_asked;

typedef struct train {
    oc__train_events events;
    oc__train_config config;
    oc__train_device device;
    oc__fit_record record; /* after `step` */
    int64_t step;
    int64_t checkpoint_step; /* -1: none */
    int trajectory;
} train;

static void ask_to_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static void listen_to_signals(void)
{
    struct sigaction stop = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};
    sigset_t wanted;
    sigaction(SIGTERM, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    // A mask survives exec (execve(2)), and a launcher with a signalfd has one.
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &wanted, NULL);
}

static oc_status emit_restored(train *t, oc_error *err)
{
    char hash[OC__SHA256_HEX];
    oc__fit_state_hash(&t->record, hash);
    return oc__train_emit(&t->events,
                          json_pack("{s:s s:I s:s}", "event", "restored", "step",
                                    (json_int_t)t->step, "state_hash", hash),
                          err);
}

static oc_status emit_started(train *t, oc_error *err)
{
    const oc_platform_info *info = oc_device_platform(t->device.device);
    json_t *devices = json_array();
    for (size_t i = 0; i < info->device_count; i++) {
        json_array_append_new(devices, oc__json_string(info->devices[i].string));
    }
    return oc__train_emit(
        &t->events,
        json_pack("{s:s s:I s:o s:I s:o}", "event", "started", "pid",
                  (json_int_t)getpid(), "backend", oc__json_string(info->platform_name),
                  "device_count", (json_int_t)info->device_count, "devices", devices),
        err);
}

/* The checkpoint that ONCHIP_RESUME names, among those of the folder. */
static const oc__checkpoint *find_checkpoint(const oc__checkpoint_list *list,
                                             const char *wanted)
{
    const char *name = strrchr(wanted, '/');
    name = name ? name + 1 : wanted;
    for (size_t i = 0; i < list->count; i++) {
        const char *end = strrchr(list->items[i].path, '/');
        if (strcmp(end ? end + 1 : list->items[i].path, name) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static oc_status read_state(train *t, const oc__checkpoint *checkpoint,
                            void **out_ballast, oc_error *err)
{
    char hash[OC__SHA256_HEX];
    void *bytes = NULL;
    size_t size = 0;
    oc_status rc = oc__checkpoint_read(checkpoint, "state.bin", &bytes, &size, err);
    if (rc == OC_OK && size == sizeof t->record.words) {
        memcpy(t->record.words, bytes, size);
    }
    free(bytes);
    if (rc != OC_OK) {
        return rc;
    }
    t->step = checkpoint->step;
    t->checkpoint_step = checkpoint->step;
    oc__fit_state_hash(&t->record, hash);
    if (size != sizeof t->record.words || t->record.words[STEP_WORD] != t->step ||
        strcmp(hash, checkpoint->state_hash) != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%s': state.bin is no state of step %lld with the hash %s",
                       checkpoint->path, (long long)t->step, checkpoint->state_hash);
    }
    if (t->config.state_mib > 0) {
        rc = oc__checkpoint_read(checkpoint, "ballast.bin", out_ballast, &size, err);
        if (rc == OC_OK && size != (size_t)t->config.state_mib * MIB) {
            rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                         "'%s': ballast.bin has %zu bytes, not %lld MiB",
                         checkpoint->path, size, (long long)t->config.state_mib);
        }
    }
    return rc;
}

static oc_status restore(train *t, void **out_ballast, oc_error *err)
{
    oc__checkpoint_list list = {0};
    oc_status rc =
        oc__checkpoint_scan(t->config.checkpoints, &t->config.identity, &list, err);
    if (rc == OC_OK) {
        const oc__checkpoint *found = find_checkpoint(&list, t->config.resume);
        if (!found || !found->good) {
            rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                         "there is no going on from '%s': %s", t->config.resume,
                         found ? found->why : "it is no checkpoint of this run");
        } else {
            rc = read_state(t, found, out_ballast, err);
        }
    }
    oc__checkpoint_list_free(&list);
    return rc;
}

/* The device, the state on it, and the program, up to `ready`. */
static oc_status prepare(train *t, oc_error *err)
{
    void *ballast = NULL;
    oc_status rc = oc__train_device_open(&t->config, &t->device, err);
    if (rc == OC_OK) {
        rc = emit_started(t, err);
    }
    if (rc == OC_OK && t->config.resume) {
        rc = restore(t, &ballast, err);
    }
    if (rc == OC_OK) {
        rc = oc__trajectory_open(t->config.run_dir, t->step, &t->record, &t->trajectory,
                                 err);
    }
    if (rc == OC_OK && t->config.resume) {
        rc = emit_restored(t, err);
    }
    if (rc == OC_OK && t->config.resume) {
        // The attempt before may have been killed before it did.
        rc = oc__checkpoint_prune(t->config.checkpoints, OC__CHECKPOINT_KEPT, err);
    }
    if (rc == OC_OK) {
        rc = oc__train_device_compile(&t->device, err);
    }
    if (rc == OC_OK) {
        rc = oc__train_device_load(&t->device, &t->record, ballast, err);
    }
    int64_t start = oc__now_us();
    if (rc == OC_OK) {
        rc = oc__train_device_warm_up(&t->device, err);
    }
    if (rc == OC_OK) {
        double compile_s = 1e-6 * (double)t->device.receipt->timings.compile_us;
        double warmup_s = 1e-6 * (double)(oc__now_us() - start);
        rc = oc__train_emit(&t->events,
                            json_pack("{s:s s:f s:f}", "event", "ready", "compile_s",
                                      compile_s, "warmup_s", warmup_s),
                            err);
    }
    free(ballast);
    return rc;
}

static oc_status take_step(train *t, oc_error *err)
{
    char hash[OC__SHA256_HEX];
    oc__fit_record record;
    int64_t start = oc__now_us();
    oc_status rc = oc__train_device_step(&t->device, &record, err);
    double update_s = 1e-6 * (double)(oc__now_us() - start);
    if (rc != OC_OK) {
        return rc;
    }
    if (record.words[STEP_WORD] != t->step + 1) {
        return OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_EXECUTE,
                       "the device counts step %u where step %lld was done",
                       record.words[STEP_WORD], (long long)t->step + 1);
    }
    rc = oc__trajectory_add(t->trajectory, &record, err);
    if (rc != OC_OK) {
        return rc;
    }
    t->record = record;
    t->step++;
    oc__fit_state_hash(&record, hash);
    oc__train_progress progress = {.step = t->step,
                                   .loss = oc__fit_loss(&record),
                                   .examples = t->config.batch,
                                   .update_s = update_s,
                                   .state_hash = hash};
    return oc__train_emit_progress(&t->events, &progress, err);
}

static oc_status emit_checkpoint(train *t, const char *hash, double write_s,
                                 oc_error *err)
{
    return oc__train_emit(&t->events,
                          json_pack("{s:s s:I s:s s:f}", "event", "checkpoint", "step",
                                    (json_int_t)t->step, "state_hash", hash, "write_s",
                                    write_s),
                          err);
}

static oc_status checkpoint(train *t, oc_error *err)
{
    char hash[OC__SHA256_HEX];
    oc_device_output ballast;
    int64_t start = oc__now_us();
    oc_status rc = oc__train_device_ballast(&t->device, &ballast, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__checkpoint_file files[2] = {
        {"state.bin", {t->record.words, sizeof t->record.words}},
        {"ballast.bin", {ballast.tensor.data, ballast.tensor.size_bytes}}};
    oc__fit_state_hash(&t->record, hash);
    oc__checkpoint_state state = {.step = t->step,
                                  .state_hash = hash,
                                  .files = files,
                                  .file_count = t->config.state_mib > 0 ? 2 : 1};
    // A checkpoint stands for all records up to its own: they are on disk before it.
    rc = oc__trajectory_sync(t->trajectory, err);
    if (rc == OC_OK) {
        rc = oc__checkpoint_write(t->config.checkpoints, &t->config.identity, &state,
                                  err);
    }
    oc_device_output_free(&ballast);
    if (rc == OC_OK) {
        t->checkpoint_step = t->step;
        rc = emit_checkpoint(t, hash, 1e-6 * (double)(oc__now_us() - start), err);
    }
    if (rc == OC_OK) {
        rc = oc__checkpoint_prune(t->config.checkpoints, OC__CHECKPOINT_KEPT, err);
    }
    return rc;
}

static oc_status work(train *t, oc_error *err)
{
    oc_status rc = prepare(t, err);
    while (rc == OC_OK && t->step < t->config.steps && !stop_asked) {
        rc = take_step(t, err);
        if (rc == OC_OK &&
            (t->step % t->config.checkpoint_every == 0 || t->step == t->config.steps)) {
            rc = checkpoint(t, err);
        }
    }
    // Stopped: also before the first step, so that there is something to go on from.
    if (rc == OC_OK && t->checkpoint_step != t->step) {
        rc = checkpoint(t, err);
    }
    return rc;
}

/* What was seen, then how it ended. Of a run that failed `err` says why already, and
 * the first error is the one that stays. */
static oc_status emit_end(train *t, oc_status rc, bool configured, oc_error *err)
{
    oc_status said = OC_OK;
    json_t *end = NULL;
    if (t->device.receipt) {
        // A state that nobody can be asked of any more is no completed run.
        said = oc__train_device_observe(&t->device, err);
        rc = rc == OC_OK ? said : rc;
        said = oc__train_emit(&t->events, oc__launch_observed_write(t->device.receipt),
                              err);
        rc = rc == OC_OK ? said : rc;
    }
    if (rc != OC_OK) {
        end = json_pack("{s:s s:s s:o}", "event", "failed", "kind",
                        configured ? oc_boundary_name(err->boundary) : "configuration",
                        "message", oc__json_string(err->text));
    } else if (t->step == t->config.steps) {
        end = json_pack("{s:s s:I}", "event", "completed", "step", (json_int_t)t->step);
    } else {
        return rc; // stopped, to be gone on with
    }
    said = oc__train_emit(&t->events, end, err);
    return rc == OC_OK ? said : rc;
}

int oc__train(void)
{
    oc_error err = {0};
    train t = {.trajectory = -1, .checkpoint_step = -1};
    bool configured = false;
    listen_to_signals();
    oc_status rc = oc__train_events_open(&t.events, &err);
    if (rc == OC_OK) {
        rc = oc__train_config_read(&t.config, &err);
    }
    if (rc == OC_OK) {
        configured = true;
        t.record = oc__fit_start((uint32_t)t.config.seed);
        rc = work(&t, &err);
    }
    rc = emit_end(&t, rc, configured, &err);
    if (rc != OC_OK) {
        dprintf(STDERR_FILENO, "onchip-train: %s\n", err.text);
    }
    bool preempted = rc == OC_OK && t.step < t.config.steps;
    oc__train_device_close(&t.device);
    oc__train_config_free(&t.config);
    if (t.trajectory >= 0) {
        close(t.trajectory);
    }
    return preempted ? PREEMPTED : (int)oc_status_exit(rc, err.boundary);
}
