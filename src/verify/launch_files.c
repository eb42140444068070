#include "verify/launch_files.h"

#include "base/file.h"
#include "base/json.h"
#include "verify/receipt_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1 << 20, MAX_RECORDS = OC__FIT_MAX_STEPS * OC__FIT_RECORD_BYTES };

/* Of the files that a launch leaves. */
typedef struct known_file {
    const char *member, *name;
    size_t max;
} known_file;

/* True: go on; *out_text is NULL where the file could not be held against its hash. */
static bool read_file(oc__launch_evidence *e, const known_file *known,
                      const oc__launch_file *recorded, char **out_text,
                      size_t *out_size)
{
    char member[64], hash[OC__SHA256_HEX];
    oc_error why = {0};
    *out_text = NULL;
    snprintf(member, sizeof member, "%s.sha256", known->member);
    if (recorded->file && strcmp(recorded->file, known->name) != 0) {
        return oc__verify_fail(e->verifier, "hash_differs", known->member,
                               "%s.file is '%.80s', must be %s", known->member,
                               recorded->file, known->name);
    }
    char *path = recorded->file ? oc__path_join(e->folder, known->name) : NULL;
    oc_status rc =
        path ? oc__file_read(path, known->max, out_text, out_size, &why) : OC_NOT_FOUND;
    free(path);
    if (rc != OC_OK) {
        e->complete = false;
        return oc__verify_unread(e->verifier, member, known->name, rc, &why);
    }
    oc__sha256_hex(*out_text, *out_size, hash);
    if (strcmp(hash, recorded->sha256) == 0) {
        return true;
    }
    free(*out_text);
    *out_text = NULL;
    return oc__verify_fail(e->verifier, "hash_differs", member,
                           "%s is not the file that was recorded", known->name);
}

static bool same_text(const json_t *config, const char *key, const char *value)
{
    return oc__verify_same(json_string_value(json_object_get(config, key)), value);
}

static bool same_integer(const json_t *config, const char *key, int64_t value)
{
    const json_t *member = json_object_get(config, key);
    return json_is_integer(member) && json_integer_value(member) == value;
}

bool oc__launch_check_config(oc__launch_evidence *e)
{
    static const known_file config_file = {"config", "config.json", MAX_TEXT};
    const oc__launch_receipt *receipt = e->receipt;
    char *text = NULL;
    size_t size = 0;
    json_t *config = NULL;
    const char *wrong = NULL;
    oc_error why = {0};
    bool holds = read_file(e, &config_file, &receipt->config, &text, &size);
    if (!text) {
        return holds;
    }
    if (oc__json_parse(text, size, "config.json", &config, &why) != OC_OK) {
        wrong = "is no JSON";
    } else if (!same_text(config, "platform", receipt->requested_as)) {
        wrong = "names another platform";
    } else if (!same_integer(config, "batch", receipt->batch)) {
        wrong = "names another batch";
    } else if (!same_integer(config, "seed", receipt->seed)) {
        wrong = "names another seed";
    } else if (!same_text(config, "program_sha256", receipt->program.sha256)) {
        wrong = "names another program";
    } else if (!same_text(config, "data_sha256", receipt->data_sha256)) {
        wrong = "names other data";
    }
    json_decref(config);
    free(text);
    return !wrong || oc__verify_fail(e->verifier, "config_differs", "config",
                                     "config.json %s", wrong);
}

bool oc__launch_check_program(oc__launch_evidence *e)
{
    static const known_file program_file = {"program", "program.mlir", MAX_TEXT};
    const oc__launch_receipt *receipt = e->receipt;
    char *text = NULL;
    size_t size = 0;
    bool holds = read_file(e, &program_file, &receipt->program, &text, &size);
    char *wanted = text ? oc__fit_program(receipt->batch) : NULL;
    if (text && !wanted) {
        e->complete = false;
        holds =
            oc__verify_unknown(e->verifier, "no_memory", "program", "out of memory");
    } else if (text && (size != strlen(wanted) || memcmp(text, wanted, size) != 0)) {
        holds = oc__verify_fail(e->verifier, "program_differs", "program",
                                "program.mlir is not the update of a batch of %lld",
                                (long long)receipt->batch);
    }
    free(wanted);
    free(text);
    return holds;
}

bool oc__launch_check_trajectory(oc__launch_evidence *e)
{
    static const known_file trajectory_file = {"trajectory", "trajectory.bin",
                                               MAX_RECORDS};
    const oc__launch_receipt *receipt = e->receipt;
    char *bytes = NULL;
    char hash[OC__SHA256_HEX];
    size_t size = 0;
    const size_t count = (size_t)receipt->last_step; // check_job: 1 to 10000
    bool holds = read_file(e, &trajectory_file, &receipt->trajectory, &bytes, &size);
    if (!bytes) {
        return holds;
    }
    if (size != count * OC__FIT_RECORD_BYTES) {
        free(bytes);
        return oc__verify_fail(e->verifier, "trajectory_differs", "job.last_step",
                               "trajectory.bin has %zu bytes, and %zu steps have %zu",
                               size, count, count * OC__FIT_RECORD_BYTES);
    }
    e->records = calloc(count, sizeof *e->records);
    e->complete = e->complete && e->records;
    for (size_t i = 0; e->records && i < count; i++) {
        e->records[i] = oc__fit_read(bytes + i * OC__FIT_RECORD_BYTES);
    }
    free(bytes);
    if (!e->records) {
        return oc__verify_unknown(e->verifier, "no_memory", "trajectory",
                                  "out of memory");
    }
    oc__fit_state_hash(&e->records[count - 1], hash);
    return strcmp(hash, receipt->state_hash) == 0 ||
           oc__verify_fail(e->verifier, "hash_differs", "job.state_hash",
                           "job.state_hash is not that of the last state");
}

/* A checkpoint that is there holds the record of its step; older ones are removed as
 * the run goes on. */
static bool check_checkpoint(oc__launch_evidence *e, size_t index)
{
    const oc__launch_checkpoint *recorded = &e->receipt->checkpoints[index];
    char member[64], name[64], hash[OC__SHA256_HEX];
    char *state = NULL;
    size_t size = 0;
    oc_error why = {0};
    int64_t newest = index > 0 ? e->receipt->checkpoints[index - 1].step - 1
                               : e->receipt->checkpoint_step;
    snprintf(member, sizeof member, "job.checkpoints[%zu]", index);
    if (recorded->step < 1 || recorded->step > newest) {
        return oc__verify_fail(e->verifier, "job_differs", member,
                               "%s is of a step that can have none", member);
    }
    const oc__fit_record *made = &e->records[recorded->step - 1];
    oc__fit_state_hash(made, hash);
    if (strcmp(hash, recorded->state_hash) != 0) {
        return oc__verify_fail(e->verifier, "hash_differs", member,
                               "%s is not the state of step %lld", member,
                               (long long)recorded->step);
    }
    snprintf(name, sizeof name, "checkpoints/step-%08lld/state.bin",
             (long long)recorded->step);
    char *path = oc__path_join(e->folder, name);
    oc_status rc = path ? oc__file_read(path, OC__FIT_RECORD_BYTES, &state, &size, &why)
                        : OC_NOMEM;
    free(path);
    if (rc == OC_NOT_FOUND) {
        return true;
    }
    if (rc != OC_OK) {
        return oc__verify_unread(e->verifier, member, name, rc, &why);
    }
    bool same = size == OC__FIT_RECORD_BYTES;
    if (same) {
        const oc__fit_record kept = oc__fit_read(state);
        same = memcmp(&kept, made, sizeof kept) == 0;
    }
    free(state);
    return same || oc__verify_fail(e->verifier, "hash_differs", member,
                                   "%s does not hold the trajectory's record of "
                                   "its step",
                                   name);
}

bool oc__launch_check_checkpoints(oc__launch_evidence *e)
{
    for (size_t i = 0; e->records && i < e->receipt->checkpoint_count; i++) {
        if (!check_checkpoint(e, i)) {
            return false;
        }
    }
    return true;
}
