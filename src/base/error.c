#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

oc_status oc__fail_at(oc_error *err, oc_status status, oc_boundary boundary,
                      const char *file, int line, const char *format, ...)
{
    if (err && err->status == OC_OK) {
        va_list arguments;
        *err = (oc_error){
            .status = status, .boundary = boundary, .file = file, .line = line};
        va_start(arguments, format);
        vsnprintf(err->text, sizeof err->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

void oc__error_prefix(oc_error *err, const char *format, ...)
{
    if (!err) {
        return;
    }
    char joined[OC_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(joined, sizeof joined, format, arguments);
    va_end(arguments);
    if (used < 0 || (size_t)used >= sizeof joined) {
        return;
    }
    size_t left = sizeof joined - (size_t)used;
    if (snprintf(joined + used, left, ": %s", err->text) < 0) {
        return;
    }
    memcpy(err->text, joined, sizeof joined);
}

void oc__error_at_boundary(oc_error *err, oc_boundary boundary)
{
    if (err && err->boundary == OC_BOUNDARY_NONE) {
        err->boundary = boundary;
    }
}

void oc__assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "onchip: bug: %s does not hold at %s:%d\n", condition, file, line);
    abort();
}

const char *oc_status_name(oc_status status)
{
    switch (status) {
    case OC_OK: return "ok";
    case OC_INVALID_ARGUMENT: return "invalid argument";
    case OC_PARSE: return "parse error";
    case OC_NOT_FOUND: return "not found";
    case OC_EXISTS: return "exists already";
    case OC_LIMIT: return "over a limit";
    case OC_UNAVAILABLE: return "device unavailable";
    case OC_DEADLINE: return "deadline exceeded";
    case OC_PLUGIN: return "plugin error";
    case OC_CHILD: return "child process failed";
    case OC_IO: return "input/output error";
    case OC_NOMEM: return "out of memory";
    }
    return "unknown status";
}

const char *oc_boundary_name(oc_boundary boundary)
{
    static const char *const names[] = {
        [OC_BOUNDARY_NONE] = "none",           [OC_BOUNDARY_USAGE] = "usage",
        [OC_BOUNDARY_INPUT] = "input",         [OC_BOUNDARY_PLUGIN] = "plugin",
        [OC_BOUNDARY_DISCOVERY] = "discovery", [OC_BOUNDARY_INIT] = "init",
        [OC_BOUNDARY_COMPILE] = "compile",     [OC_BOUNDARY_TRANSFER] = "transfer",
        [OC_BOUNDARY_EXECUTE] = "execute",     [OC_BOUNDARY_PLACEMENT] = "placement",
        [OC_BOUNDARY_NUMERIC] = "numeric",     [OC_BOUNDARY_EVIDENCE] = "evidence",
    };
    OC_ASSERT((size_t)boundary < sizeof names / sizeof *names);
    return names[boundary];
}

const char *oc_verdict_name(oc_verdict verdict)
{
    static const char *const names[] = {
        [OC_PASS] = "PASS", [OC_FAIL] = "FAIL", [OC_UNKNOWN] = "UNKNOWN"};
    OC_ASSERT(verdict >= OC_PASS && verdict <= OC_UNKNOWN);
    return names[verdict];
}

oc_exit oc_status_exit(oc_status status, oc_boundary boundary)
{
    if (status == OC_OK) {
        return OC_EXIT_PASS;
    }
    if (status == OC_UNAVAILABLE) {
        return OC_EXIT_UNAVAILABLE;
    }
    if (boundary == OC_BOUNDARY_USAGE || boundary == OC_BOUNDARY_INPUT) {
        return OC_EXIT_USAGE;
    }
    return OC_EXIT_ERROR;
}

oc_verdict oc_verdict_worst(oc_verdict a, oc_verdict b)
{
    OC_ASSERT(a != OC_VERDICT_UNSET && b != OC_VERDICT_UNSET);
    if (a == OC_FAIL || b == OC_FAIL) {
        return OC_FAIL;
    }
    return a == OC_UNKNOWN || b == OC_UNKNOWN ? OC_UNKNOWN : OC_PASS;
}

oc_exit oc_verdict_exit(oc_verdict verdict)
{
    switch (verdict) {
    case OC_PASS: return OC_EXIT_PASS;
    case OC_FAIL: return OC_EXIT_FAIL;
    case OC_UNKNOWN: return OC_EXIT_UNKNOWN;
    case OC_VERDICT_UNSET: break;
    }
    oc__assert_failed("a verdict was reached", __FILE__, __LINE__);
}
