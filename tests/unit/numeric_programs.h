/* Programs of several operations whose outputs a device with a fault gives. */
#ifndef ONCHIP_TESTS_NUMERIC_PROGRAMS_H
#define ONCHIP_TESTS_NUMERIC_PROGRAMS_H

#include "numeric_fixture.h"

enum { ROWS = 16, MAX_MATRICES = 8 };

typedef struct work {
    fault fault;
    size_t n;
    matrix in[MAX_MATRICES], out[MAX_MATRICES];
    size_t inputs, outputs;
} work;

/* A program that is judged for two sizes. `make` fills the inputs, `run` the outputs.
 */
typedef struct subject {
    const char *name;
    /* !x, !w, !n and !r are tensors of ROWS x n, n x n, n and ROWS numbers of f32. */
    const char *text;
    void (*make)(work *w, dice *from);
    void (*run)(work *w);
} subject;

typedef struct row {
    fault fault;
    const char *wanted[2]; /* as judged() says it */
} row;

void try_rows(const subject *s, const size_t sizes[2], const row *rows, size_t count);
#define TRY(s, sizes, rows) try_rows(s, sizes, rows, sizeof(rows) / sizeof *(rows))

#endif
