/* Reads documents, finds out which kind each is, and has it judged. */
#include "onchip/verify.h"

#include "receipt/receipt_json.h"
#include "verify/verifier.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

OC_PRINTF(5, 0)
static void record(oc__verifier *verifier, oc_verdict verdict, const char *reason,
                   const char *member, const char *format, va_list arguments)
{
    oc_verify_result *result = verifier->result;
    result->verdict = verdict;
    result->reason = reason;
    snprintf(result->member, sizeof result->member, "%s", member);
    vsnprintf(result->detail, sizeof result->detail, format, arguments);
}

bool oc__verify_fail(oc__verifier *verifier, const char *reason, const char *member,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(verifier, OC_FAIL, reason, member, format, arguments);
    va_end(arguments);
    return false;
}

bool oc__verify_unknown(oc__verifier *verifier, const char *reason, const char *member,
                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (verifier->result->verdict == OC_VERDICT_UNSET) {
        record(verifier, OC_UNKNOWN, reason, member, format, arguments);
    }
    va_end(arguments);
    return true;
}

void oc__verify_pass(oc__verifier *verifier, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (verifier->result->verdict == OC_VERDICT_UNSET) {
        record(verifier, OC_PASS, "holds", "", format, arguments);
    }
    va_end(arguments);
}

static bool satisfies(const char *require, const char *platform)
{
    if (strcmp(require, "gpu") == 0) {
        return strcmp(platform, "cuda") == 0 || strcmp(platform, "rocm") == 0 ||
               strcmp(platform, "gpu") == 0;
    }
    return strcmp(require, platform) == 0;
}

bool oc__verify_platform(oc__verifier *verifier, const char *requested,
                         const char *observed)
{
    const char *require = verifier->options->require;
    const char *seen = observed ? observed : "none";
    if (!observed || strcmp(requested, observed) != 0) {
        return oc__verify_fail(verifier, "platform_differs", "platform",
                               "requested and observed platform disagree: requested "
                               "%.60s, observed %.60s, required %.60s",
                               requested, seen, require);
    }
    if (!satisfies(require, observed)) {
        return oc__verify_fail(verifier, "platform_differs", "expected",
                               "requested and observed platform disagree with the "
                               "required one: required %.60s, requested %.60s, "
                               "observed %.60s",
                               require, requested, seen);
    }
    return true;
}

bool oc__verify_contract(oc__verifier *verifier, const char *prefix,
                         const oc__output *output)
{
    char member[64];
    if (!output->reached || strcmp(output->dtype, "float32") != 0) {
        snprintf(member, sizeof member, "%sdtype", prefix);
        return oc__verify_fail(verifier, "contract_changed", member,
                               "prediction contract changed: %s is %.40s, must be "
                               "float32",
                               member, output->reached ? output->dtype : "null");
    }
    if (output->rank != 1 || output->dims[0] != OC__ROWS) {
        snprintf(member, sizeof member, "%sshape", prefix);
        return oc__verify_fail(verifier, "contract_changed", member,
                               "prediction contract changed: %s must be [%d]", member,
                               OC__ROWS);
    }
    return true;
}

oc_status oc_verify_check_options(const oc_verify_options *options, oc_error *err)
{
    unsigned char nonce[OC__MAX_NONCE_BYTES];
    if (!options->require || !*options->require) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "no required platform was given");
    }
    if (options->nonce && oc__hex_decode(options->nonce, nonce, sizeof nonce) < 1) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "nonce '%.140s' is not hexadecimal of 1 to %d bytes",
                       options->nonce, OC__MAX_NONCE_BYTES);
    }
    return OC_OK;
}

static bool only_blanks(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\0' || !strchr(" \t\r\n", text[i])) {
            return false;
        }
    }
    return true;
}

static oc_status verify_check(oc__verifier *verifier, json_t *document, oc_error *err)
{
    oc__receipt *receipt = NULL;
    oc_status rc = oc__receipt_from_json(document, verifier->name, &receipt, err);
    if (rc == OC_OK) {
        verifier->result->document = "receipt";
        oc__verify_receipt(verifier, receipt);
    }
    oc__receipt_free(receipt);
    return rc;
}

static oc_status verify_run(oc__verifier *verifier, json_t *document, oc_error *err)
{
    oc__run_receipt *receipt = NULL;
    oc_status rc = oc__run_receipt_from_json(document, verifier->name, &receipt, err);
    if (rc == OC_OK) {
        verifier->result->document = "run receipt";
        oc__verify_run(verifier, receipt);
    }
    oc__run_receipt_free(receipt);
    return rc;
}

static oc_status verify_launch(oc__verifier *verifier, json_t *document, oc_error *err)
{
    oc__launch_receipt *receipt = NULL;
    oc_status rc =
        oc__launch_receipt_from_json(document, verifier->name, &receipt, err);
    if (rc == OC_OK) {
        verifier->result->document = "launch receipt";
        oc__verify_launch(verifier, receipt);
    }
    oc__launch_receipt_free(receipt);
    return rc;
}

static oc_status verify_audit(oc__verifier *verifier, json_t *document, oc_error *err)
{
    oc__audit_evidence *evidence = NULL;
    oc_status rc =
        oc__audit_evidence_from_json(document, verifier->name, &evidence, err);
    if (rc == OC_OK) {
        verifier->result->document = "audit evidence";
        oc__verify_audit(verifier, evidence);
    }
    oc__audit_evidence_free(evidence);
    return rc;
}

/* `document` takes up the first `used` of the `size` bytes. */
static oc_status verify_receipt(oc__verifier *verifier, json_t *document,
                                const char *text, size_t used, size_t size,
                                oc_error *err)
{
    if (!only_blanks(text + used, size - used)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%s' has other bytes after the receipt, from byte %zu on",
                       verifier->name, used);
    }
    static const struct {
        const char *name;
        oc_status (*verify)(oc__verifier *, json_t *, oc_error *);
    } kinds[] = {
        {"run", verify_run}, {"launch", verify_launch}, {"audit", verify_audit}};
    const char *kind = json_string_value(json_object_get(document, "kind"));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kind && strcmp(kind, kinds[i].name) == 0) {
            return kinds[i].verify(verifier, document, err);
        }
    }
    return verify_check(verifier, document, err);
}

/* `why` is the error that a reader of JSON has on this text, or says nothing. */
static oc_status verify_capture(oc__verifier *verifier, const char *text, size_t size,
                                const oc_error *why, oc_error *err)
{
    oc__lesson_reports *reports = NULL;
    oc_error capture_err = {0};
    oc_status rc =
        oc__lesson_reports_read(text, size, verifier->name, &reports, &capture_err);
    bool found = rc == OC_OK && reports->count > 0;
    bool begins_as_json = size > 0 && *text == '{';
    if (found) {
        verifier->result->document = "lesson report";
        oc__verify_lesson(verifier, reports);
    } else if (begins_as_json && why->status != OC_OK && rc != OC_NOMEM) {
        rc = OC_FAIL(err, why->status, why->boundary, "%s", why->text);
    } else if (rc != OC_OK) {
        OC_FAIL(err, rc, capture_err.boundary, "%s", capture_err.text);
    } else {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "'%s' holds neither a receipt nor a report of the lesson",
                     verifier->name);
    }
    oc__lesson_reports_free(reports);
    return rc;
}

oc_status oc_verify(const void *bytes, size_t size, const char *name,
                    const oc_verify_options *options, oc_verify_result *out_result,
                    oc_error *err)
{
    *out_result = (oc_verify_result){.document = "", .reason = ""};
    oc__verifier verifier = {.options = options, .name = name, .result = out_result};
    json_t *document = NULL;
    size_t used = 0;
    oc_error why = {0};

    oc_status rc = oc_verify_check_options(options, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = oc__json_parse_prefix(bytes, size, name, &document, &used, &why);
    if (rc == OC_OK && json_object_get(document, "schema")) {
        rc = verify_receipt(&verifier, document, bytes, used, size, err);
    } else {
        rc = verify_capture(&verifier, bytes, size, &why, err);
    }
    json_decref(document);
    return rc;
}

oc_status oc_verify_file(const char *path, const oc_verify_options *options,
                         oc_verify_result *out_result, oc_error *err)
{
    char *text = NULL;
    char *name = NULL;
    size_t size = 0;
    *out_result = (oc_verify_result){.document = "", .reason = ""};

    oc_status rc = oc_verify_check_options(options, err);
    if (rc == OC_OK) {
        rc = oc__verify_read_file(path, &text, &size, &name, err);
    }
    if (rc == OC_OK) {
        rc = oc_verify(text, size, name, options, out_result, err);
    }
    free(text);
    free(name);
    return rc;
}

enum { MAX_THREADS = 16, FILES_A_THREAD = 16 };

typedef struct batch {
    const char *const *paths;
    size_t count;
    const oc_verify_options *options;
    oc_verify_result *results;
    oc_error *errors;
    atomic_size_t next;
} batch;

static void *work(void *argument)
{
    batch *files = argument;
    for (;;) {
        size_t i = atomic_fetch_add(&files->next, 1);
        if (i >= files->count) {
            return NULL;
        }
        files->errors[i] = (oc_error){0};
        oc_status rc = oc_verify_file(files->paths[i], files->options,
                                      &files->results[i], &files->errors[i]);
        (void)rc; // it stands in the error
    }
}

/* Fewer than FILES_A_THREAD files are not worth a thread. */
static size_t helpers_for(size_t count)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = processors > 0 ? (size_t)processors : 1;
    threads = threads < MAX_THREADS ? threads : MAX_THREADS;
    size_t wanted = count / FILES_A_THREAD;
    threads = threads < wanted ? threads : wanted;
    return threads > 0 ? threads - 1 : 0;
}

void oc_verify_files(const char *const *paths, size_t count,
                     const oc_verify_options *options, oc_verify_result *out_results,
                     oc_error *out_errors)
{
    batch files = {.paths = paths,
                   .count = count,
                   .options = options,
                   .results = out_results,
                   .errors = out_errors};
    pthread_t helpers[MAX_THREADS];
    size_t started = 0;
    size_t wanted = helpers_for(count);
    while (started < wanted &&
           pthread_create(&helpers[started], NULL, work, &files) == 0) {
        started++;
    }
    work(&files); // this thread works too, and alone if no other could be started
    for (size_t i = 0; i < started; i++) {
        pthread_join(helpers[i], NULL);
    }
}

/* File names and cut sentences need not be UTF-8. False: out of memory. */
static bool add_text(json_t *object, const char *key, const char *text)
{
    return json_object_set_new(object, key, oc__json_string(text)) == 0;
}

static bool add_verdict(json_t *answer, const oc_verify_result *result)
{
    return add_text(answer, "document", result->document) &&
           add_text(answer, "verdict", oc_verdict_name(result->verdict)) &&
           add_text(answer, "reason", result->reason) &&
           add_text(answer, "member", result->member) &&
           add_text(answer, "platform", result->platform) &&
           add_text(answer, "detail", result->detail) &&
           json_object_set_new(answer, "error", json_null()) == 0;
}

static bool add_error(json_t *answer, const oc_error *err)
{
    static const char *const absent[] = {"document", "verdict",  "reason",
                                         "member",   "platform", "detail"};
    json_t *error = json_object();
    bool added = true;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        added = added && json_object_set_new(answer, absent[i], json_null()) == 0;
    }
    return json_object_set_new(answer, "error", error) == 0 && added &&
           add_text(error, "status", oc_status_name(err->status)) &&
           add_text(error, "boundary", oc_boundary_name(err->boundary)) &&
           add_text(error, "text", err->text);
}

char *oc_verify_json(const char *path, const oc_verify_result *result,
                     const oc_error *err)
{
    bool failed = err && err->status != OC_OK;
    json_t *answer = json_object();
    char *text = NULL;
    if (answer && add_text(answer, "file", path) &&
        (failed ? add_error(answer, err) : add_verdict(answer, result))) {
        text = oc__json_text(answer);
    }
    json_decref(answer);
    return text;
}
