/* Short programs of one movement operation, with the result that is wanted. */
#ifndef ONCHIP_TESTS_MOVEMENT_FIXTURE_H
#define ONCHIP_TESTS_MOVEMENT_FIXTURE_H

#include "program_fixture.h"

#include <stdio.h>

/* %r of `body` is of the type `type`; its elements are those of dense<want>, a tensor
 * of the type `want_type` (without `?`), bit by bit, all of them points. */
static inline void gives_as(const char *body, const char *type, const char *want_type,
                            const char *want)
{
    char text[8192];
    int size = snprintf(text, sizeof text,
                        "func.func @main() -> (%s, %s) {\n%s\n"
                        "%%want = stablehlo.constant dense<%s> : %s\n"
                        "return %%r, %%want : %s, %s\n}\n",
                        type, want_type, body, want, want_type, type, want_type);
    assert_true(size > 0 && (size_t)size < sizeof text);
    program p = program_run(text);
    const oc__value *got = program_output(&p, 0), *wanted = program_output(&p, 1);
    assert_int_equal(got->dtype, wanted->dtype);
    assert_int_equal(got->rank, wanted->rank);
    assert_memory_equal(got->dims, wanted->dims, got->rank * sizeof *got->dims);
    assert_null(got->r);
    if (memcmp(got->m->bytes, wanted->m->bytes, got->m->size_bytes) != 0) {
        fail_msg("another result:\n%s", text);
    }
    program_free(&p);
}

static inline void gives(const char *body, const char *type, const char *want)
{
    gives_as(body, type, type, want);
}

/* A body whose %r is of the type; %r is what main gives. */
static inline program run_body(const char *body, const char *type)
{
    char text[8192];
    int size = snprintf(text, sizeof text,
                        "func.func @main() -> %s {\n%s\nreturn %%r : %s\n}\n", type,
                        body, type);
    assert_true(size > 0 && (size_t)size < sizeof text);
    return program_run(text);
}

/* The elements that were counted under a rule. */
static inline uint64_t noted(const program *p, const char *rule)
{
    for (size_t i = 0; i < p->evaluation.note_count; i++) {
        if (strcmp(p->evaluation.notes[i].rule, rule) == 0) {
            return p->evaluation.notes[i].elements;
        }
    }
    return 0;
}

#endif
