#include "onchip/audit.h"

#include "audit/audit_room.h"

#include "base/file.h"
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_BYTES = 4096, SECOND_MS = 1000 };
static const int64_t max_memory = (int64_t)1 << 30;

/* A new folder for what is built and run; malloc'd. */
static char *make_work_folder(oc_error *err)
{
    char *folder = NULL;
    const char *temporary = getenv("TMPDIR");
    if (asprintf(&folder, "%s/onchip-audit-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp") < 0 ||
        !mkdtemp(folder)) {
        oc__ignore(OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE,
                           "cannot create a temporary folder: %s", strerror(errno)));
        free(folder);
        return NULL;
    }
    return folder;
}

/* The last of what was printed, from the start of a line. */
static char *last_printed(const char *text)
{
    size_t size = strlen(text);
    if (size > SHOWN_BYTES) {
        text += size - SHOWN_BYTES;
        const char *line = strchr(text, '\n');
        text = line ? line + 1 : text;
    }
    return strdup(text);
}

static oc_status run_program(const char *program, const char *work_folder, int stage,
                             const oc_audit_options *options,
                             oc__audit_child *out_child, oc_error *err)
{
    char mark[512];
    char last[64];
    char temporary[512];
    char *plugin = NULL;
    snprintf(mark, sizeof mark, "ONCHIP_AUDIT_RUN=%s", work_folder);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", work_folder);
    snprintf(last, sizeof last, "ONCHIP_AUDIT_STAGE=%d", stage);
    if (options->plugin &&
        asprintf(&plugin, "ONCHIP_AUDIT_PLUGIN=%s", options->plugin) < 0) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    // What malloc gives is filled, so that memory used before it is written looks the
    // same in every run.
    static const char asan_options[] =
        "ASAN_OPTIONS=abort_on_error=0:exitcode=86:detect_leaks=0:handle_abort=1:"
        "max_malloc_fill_size=1048576:malloc_fill_byte=190";
    const char *const environment[] = {mark,
                                       temporary,
                                       last,
                                       "ONCHIP_AUDIT_FD=3",
                                       "MALLOC_PERTURB_=65",
                                       asan_options,
                                       "UBSAN_OPTIONS=exitcode=86:print_stacktrace=1",
                                       plugin,
                                       NULL};
    const char *const argv[] = {program, NULL};
    // The deadline is for all together; this one ends what slips away from it.
    const oc__proc_limits limits = {.cpu_s = 4 * (options->timeout_ms / SECOND_MS + 1),
                                    .file_bytes = 0,
                                    .writable = work_folder};
    *out_child = (oc__audit_child){.argv = argv,
                                   .environment = environment,
                                   .mark = mark,
                                   .limits = &limits,
                                   .memory_bytes = max_memory,
                                   .timeout_ms = options->timeout_ms};
    oc_status rc = oc__audit_child_run(out_child, err);
    free(plugin);
    return rc;
}

/* A harness that fails with another status than 1 does not blame the learner but what
 * it was given: its status is the one that onchip then ends with. */
static oc_status blamed_runtime(const oc__audit_child *child, oc_audit_result *result,
                                oc_error *err)
{
    const char *why = result->stages[result->stage_count - 1].got;
    switch (child->end.signalled ? OC_EXIT_FAIL : child->end.code) {
    case OC_EXIT_USAGE:
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "%s", why);
    case OC_EXIT_UNAVAILABLE:
        return OC_FAIL(err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN, "%s", why);
    case OC_EXIT_ERROR: return OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_PLUGIN, "%s", why);
    default: return OC_OK;
    }
}

/* What the program said and how it ended, as stages; then the evidence. */
static oc_status settle(oc__audit_child *child, const oc__audit_project *project,
                        int last, const char *learner, const oc_audit_options *options,
                        oc_audit_result *result, oc_error *err)
{
    oc__audit_talk talk;
    bool by_itself = child->how == OC__AUDIT_ENDED && !child->end.signalled;
    oc_status rc = oc__audit_talk_read(child->talk.data, child->talk.size, last,
                                       by_itself, result, &talk, err);
    if (rc == OC_OK && talk.failed) {
        rc = blamed_runtime(child, result, err);
    }
    rc = rc == OC_OK ? oc__audit_judge(child, &talk, learner, result, err) : rc;
    const oc_audit_stage *stages = result->stages;
    int kept = project->evidence_stage;
    if (rc == OC_OK && kept > 0 && last >= kept &&
        stages[kept - 1].verdict == OC_PASS) {
        size_t reached = result->stage_count;
        result->stage_count = (size_t)kept; // a failure is this stage's
        rc = oc__audit_keep(&talk, options, result, err);
        if (stages[kept - 1].verdict == OC_PASS) {
            result->stage_count = reached;
        }
    }
    kept = project->reverify_stage;
    if (rc == OC_OK && kept > 0 && (int)result->stage_count == kept &&
        stages[kept - 1].verdict == OC_PASS) {
        rc = oc__audit_reverify(result, err);
    }
    return rc;
}

static oc_status check_options(const oc_audit_options *options, oc_error *err)
{
    const oc__audit_project *project = oc__audit_project_named(options->project);
    if (!project) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "'%s' is no project; there are tpu-runtime-audit and "
                       "virtual-devices",
                       options->project);
    }
    if (options->stage < 0 || options->stage > project->stages) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "stage %d: '%s' has the stages 1 to %d", options->stage,
                       project->name, project->stages);
    }
    if (options->timeout_ms < 1) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "a timeout of %lld ms leaves no time",
                       (long long)options->timeout_ms);
    }
    if (project->evidence_stage == 0 &&
        (options->evidence_dir || options->receipt_count > 0)) {
        return OC_FAIL(
            err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
            "'%s' keeps no evidence, so it takes neither a folder for it nor "
            "receipts",
            project->name);
    }
    return OC_OK;
}

/* Compiles and runs in `work_folder`. */
static oc_status audit_in(const char *work_folder, const oc__audit_files *files,
                          const oc_audit_options *options, oc_audit_result *result,
                          oc_error *err)
{
    const oc__audit_project *project = oc__audit_project_named(options->project);
    int last = options->stage > 0 ? options->stage : project->stages;
    char *message = NULL;
    char *printed = NULL;
    oc__audit_child child = {0};
    oc_status rc = OC_OK;
    for (int i = 0; i < project->stages; i++) {
        result->stages[i].title = project->titles[i];
    }
    char *program = oc__path_join(work_folder, "audit");
    if (!program) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    rc = oc__audit_compile(files, work_folder, program, &message, &printed, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (message) {
        rc = oc__audit_fail(result, "compile", "a file that compiles and links",
                            message, NULL, err);
    } else {
        rc = run_program(program, work_folder, last, options, &child, err);
        rc = rc == OC_OK
                 ? settle(&child, project, last, files->learner, options, result, err)
                 : rc;
    }
    bool passed =
        rc == OC_OK && result->stages[result->stage_count - 1].verdict == OC_PASS;
    const char *said = message ? printed : child.printed.data;
    result->printed = last_printed(passed || !said ? "" : said);
    if (rc == OC_OK && !result->printed) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
done:
    oc__audit_child_free(&child);
    free(message);
    free(printed);
    free(program);
    return rc;
}

oc_status oc_audit(const oc_audit_options *options, oc_audit_result **out_result,
                   oc_error *err)
{
    oc__audit_files files = {0};
    char *work_folder = NULL;
    oc_audit_result *result = NULL;
    *out_result = NULL;
    oc_status rc = check_options(options, err);
    if (rc != OC_OK) {
        goto done;
    }
    rc = oc__audit_project_find(options->project, options->implementation, &files, err);
    if (rc != OC_OK) {
        goto done;
    }
    result = calloc(1, sizeof *result);
    if (!result || !(result->project = strdup(options->project)) ||
        !(result->implementation = strdup(options->implementation))) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    work_folder = make_work_folder(err);
    rc = work_folder ? audit_in(work_folder, &files, options, result, err) : OC_IO;
done:
    if (work_folder) {
        oc__remove_tree(work_folder);
    }
    if (rc == OC_OK) {
        *out_result = result;
    } else {
        oc_audit_result_free(result);
    }
    free(work_folder);
    oc__audit_files_free(&files);
    return rc;
}
