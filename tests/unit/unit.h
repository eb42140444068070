/* What every cmocka test of a room begins with. */
#ifndef ONCHIP_TESTS_UNIT_H
#define ONCHIP_TESTS_UNIT_H

#include "onchip/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The error has this status and boundary, and its text holds `words`. */
#define ASSERT_ERROR(err, want_status, want_boundary, words)                           \
    do {                                                                               \
        const oc_error *seen_error = (err);                                            \
        if (seen_error->status != (want_status) ||                                     \
            seen_error->boundary != (want_boundary) ||                                 \
            !strstr(seen_error->text, (words))) {                                      \
            fail_msg("'%s' at %s was wanted, not status %d at %s: %s", (words),        \
                     oc_boundary_name(want_boundary), (int)seen_error->status,         \
                     oc_boundary_name(seen_error->boundary), seen_error->text);        \
        }                                                                              \
    } while (0)

#endif
