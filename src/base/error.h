/* Raising errors. OC_FAIL fills the caller's oc_error and yields the status, so that
 *
 *     rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot open '%s': %s", path,
 * why); goto done;
 *
 * is the whole error path. Text is plain and in lower case: the error first, the
 * subject in single quotes, then the remedy. No allocation, so it works when memory has
 * run out. */
#ifndef ONCHIP_BASE_ERROR_H
#define ONCHIP_BASE_ERROR_H

#include "onchip/status.h"

OC_PRINTF(6, 7)
oc_status oc__fail_at(oc_error *err, oc_status status, oc_boundary boundary,
                      const char *file, int line, const char *format, ...);

/* Puts context in front of an error that was raised further down: "context: text". */
OC_PRINTF(2, 3) void oc__error_prefix(oc_error *err, const char *format, ...);

/* Moves an error that has no boundary yet to this one. */
void oc__error_at_boundary(oc_error *err, oc_boundary boundary);

/* For a failure on the way out, where there is nothing left to do about it. */
static inline void oc__ignore(oc_status status)
{
    (void)status;
}

_Noreturn void oc__assert_failed(const char *condition, const char *file, int line);

#define OC_FAIL(err, status, boundary, ...)                                            \
    oc__fail_at((err), (status), (boundary), __FILE__, __LINE__, __VA_ARGS__)
#define OC_ASSERT(condition)                                                           \
    ((condition) ? (void)0 : oc__assert_failed(#condition, __FILE__, __LINE__))

#endif
