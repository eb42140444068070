/* The evidence of a project: written once, never over an older one. */
#include "audit/audit_room.h"

#include "base/file.h"
#include "receipt/audit_evidence.h"
#include "verify/audit_receipts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_HISTORY = 9999 };

static const char file_name[] = "tpu-runtime-audit-evidence.json";

/* The value of the `index`th note of that key, or NULL. */
static const char *note(const oc__audit_talk *talk, const char *key, size_t index)
{
    for (size_t i = 0; i < talk->note_count; i++) {
        if (strcmp(talk->notes[i].key, key) == 0 && index-- == 0) {
            return talk->notes[i].value;
        }
    }
    return NULL;
}

static bool whole_number(const char *text, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    *out = text ? strtoll(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && errno == 0;
}

/* All notes of a key into `out`, NULL after the last; false when there are none or more
 * than `max`. */
static bool put_list(oc__audit_evidence *evidence, const oc__audit_talk *talk,
                     const char *key, const char **out, size_t max)
{
    size_t count = 0;
    for (const char *value; (value = note(talk, key, count)) != NULL; count++) {
        if (count == max) {
            return false;
        }
        out[count] = oc__audit_evidence_keep(evidence, value);
    }
    return count > 0;
}

/* The notes as evidence; the key of the first that is missing or makes no sense, or
 * NULL. */
static const char *fill(oc__audit_evidence *evidence, const oc__audit_talk *talk)
{
    const struct {
        const char *key;
        const char **text;
        int64_t *number;
        bool optional;
    } fields[] = {
        {.key = "backend", .text = &evidence->backend},
        {.key = "device_count", .number = &evidence->device_count},
        {.key = "storage_dtype", .text = &evidence->storage_dtype},
        {.key = "operand_dtype", .text = &evidence->operand_dtype},
        {.key = "result_dtype", .text = &evidence->result_dtype},
        {.key = "scope", .text = &evidence->scope},
        {.key = "simulated_sum", .number = &evidence->simulated_sum},
        {.key = "simulated_sum_without", .number = &evidence->simulated_sum_without},
        {.key = "collective_sum", .number = &evidence->collective_sum},
        {.key = "pjrt_api", .text = &evidence->versions.pjrt_api, .optional = true},
        {.key = "stablehlo", .text = &evidence->versions.stablehlo, .optional = true},
        {.key = "platform_version",
         .text = &evidence->versions.platform_version,
         .optional = true},
        {.key = "plugin_name",
         .text = &evidence->versions.plugin_name,
         .optional = true},
        {.key = "plugin_sha256",
         .text = &evidence->versions.plugin_sha256,
         .optional = true},
        {.key = "plugin_build_id",
         .text = &evidence->versions.plugin_build_id,
         .optional = true},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *value = note(talk, fields[i].key, 0);
        bool ok = value != NULL;
        if (value && fields[i].text) {
            *fields[i].text = oc__audit_evidence_keep(evidence, value);
        } else if (value) {
            ok = whole_number(value, fields[i].number);
        }
        if (!ok && !(fields[i].optional && !value)) {
            return fields[i].key;
        }
    }
    const char *exact = note(talk, "matmul_exact", 0);
    if (!exact || (strcmp(exact, "true") != 0 && strcmp(exact, "false") != 0)) {
        return "matmul_exact";
    }
    evidence->matmul_exact = strcmp(exact, "true") == 0;
    if (!put_list(evidence, talk, "device", evidence->devices, OC__AUDIT_DEVICES)) {
        return "device";
    }
    return put_list(evidence, talk, "collective_devices", evidence->collective_devices,
                    OC__AUDIT_PARTICIPANTS)
               ? NULL
               : "collective_devices";
}

/* Gives the file a second name, history/evidence-NNNN.json with the first number that
 * is free, and takes the old name away: it is never without one. */
static oc_status move_to_history(const char *folder, const char *path, oc_error *err)
{
    struct stat status;
    char *history = NULL;
    if (lstat(path, &status) != 0) {
        return OC_OK;
    }
    if (asprintf(&history, "%s/history", folder) < 0) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    oc_status rc = oc__make_dirs(history, err);
    bool moved = false;
    errno = 0;
    for (int number = 1; rc == OC_OK && !moved && number <= MAX_HISTORY; number++) {
        char target[4096];
        snprintf(target, sizeof target, "%s/evidence-%04d.json", history, number);
        moved = link(path, target) == 0 && unlink(path) == 0;
        if (!moved && errno != EEXIST) {
            break;
        }
    }
    if (rc == OC_OK && !moved) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot move '%s' into '%s': %s",
                     path, history, strerror(errno));
    }
    free(history);
    return rc;
}

static void set_created(oc__audit_evidence *evidence)
{
    char text[OC__UTC_TEXT];
    oc__receipt_now(text);
    evidence->created = oc__audit_evidence_keep(evidence, text);
}

/* The folder that was asked for, made if need be, or a new temporary one; malloc'd. */
static char *evidence_folder(const char *asked, oc_error *err)
{
    char *folder = NULL;
    const char *temporary = getenv("TMPDIR");
    if (asked) {
        folder = oc__make_dirs(asked, err) == OC_OK ? strdup(asked) : NULL;
    } else if (asprintf(&folder, "%s/onchip-evidence-XXXXXX",
                        temporary && *temporary ? temporary : "/tmp") < 0 ||
               !mkdtemp(folder)) {
        free(folder);
        folder = NULL;
    }
    if (!folder) {
        oc__ignore(OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                           "cannot create a folder for the evidence: %s",
                           strerror(errno)));
    }
    return folder;
}

static oc_status write_evidence(const char *text, const char *asked,
                                oc_audit_result *result, oc_error *err)
{
    oc_status rc = OC_IO;
    char *path = NULL;
    char *folder = evidence_folder(asked, err);
    if (!folder) {
        return OC_IO;
    }
    path = oc__path_join(folder, file_name);
    if (!path) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
        goto done;
    }
    rc = move_to_history(folder, path, err);
    rc = rc == OC_OK ? oc__file_write_new(path, text, strlen(text), err) : rc;
    if (rc == OC_OK) {
        result->evidence = path;
        path = NULL;
    }
done:
    free(path);
    free(folder);
    return rc;
}

oc_status oc__audit_keep(const oc__audit_talk *talk, const oc_audit_options *options,
                         oc_audit_result *result, oc_error *err)
{
    oc_status rc = OC_OK;
    char *text = NULL;
    oc__audit_evidence *evidence = oc__audit_evidence_new();
    if (!evidence) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
        goto done;
    }
    const char *key = fill(evidence, talk);
    if (key) {
        char expected[128];
        snprintf(expected, sizeof expected, "a note '%s' that makes sense", key);
        const char *value = note(talk, key, 0);
        rc = oc__audit_fail(result, "evidence", expected, value ? value : "none", NULL,
                            err);
        goto done;
    }
    set_created(evidence);
    for (size_t i = 0; i < options->receipt_count && rc == OC_OK; i++) {
        rc = oc__audit_add_receipt(evidence, options->receipts[i], err);
    }
    if (rc != OC_OK) {
        goto done;
    }
    text = oc__audit_evidence_text(evidence);
    rc = text ? write_evidence(text, options->evidence_dir, result, err)
              : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
done:
    free(text);
    oc__audit_evidence_free(evidence);
    return rc;
}
