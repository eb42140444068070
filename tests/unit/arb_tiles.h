/* Tile functions of one operation held against Arb. */
#ifndef ONCHIP_TESTS_ARB_TILES_H
#define ONCHIP_TESTS_ARB_TILES_H

#include "arb_fixture.h"

typedef enum contract {
    EXACT,   /* the C function, in double, is the answer */
    ROUNDED, /* rounded to nearest; a point gives a point */
    FIGURE   /* within the documented figure */
} contract;

typedef struct subject {
    const char *op;
    size_t arity;
    contract contract;
    /* The real result for finite operands; false where it is none (poles, outside the
     * domain), or too far from 1 to be worked out. NULL: C's will do. */
    bool (*real)(arb_t out, const double *x, slong precision);
    double (*c)(const double *x); /* of IEEE 754 and C; for NaN, infinities, zeros */
    bool from_one;                /* the figure counts in max(1, |result|) */
    double least, most;           /* of every device; both 0: any */
    bool tame;                    /* moderate operands only */
    bool numbers;                 /* operands of the type only, no unrounded ones */
    size_t attribute_count;
    const oc__hlo_named *attributes;
} subject;

typedef struct tally {
    size_t balls, undecided; /* results of balls that are no undecided operands */
    size_t points;
} tally;

/* `cases` elements of type `of` under a contract: points x' inside the operands' balls,
 * ends among them; what a device may make of f(x') must lie inside the result; points
 * must have the right midpoint. Fails the test at the first element that does not. */
tally subject_try(const subject *tried, const type *of, const oc__arith *arith,
                  size_t cases, uint64_t seed);
/* The same for operands of another type. */
tally subject_try_from(const subject *tried, const type *from, const type *of,
                       const oc__arith *arith, size_t cases, uint64_t seed);

#endif
