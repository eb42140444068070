/* Many dot products of balls at once: of every vector of one operand with every vector
 * of another. What dot_general, convolution and ragged_dot come down to.
 *
 * The midpoints are one dgemm. Their radius is that of sum.h with
 *
 *     T_ij = |a_i| . |b_j|   and   spread_ij = |a_i| . rb_j + ra_i . (|b_j| + rb_j)
 *
 * (rump: midpoint-radius products, BIT 39, 1999), which is bounded by norms: the least
 * of |a|_2 |b|_2, |a|_1 |b|_max and |a|_max |b|_1 (Cauchy-Schwarz, Hoelder), at a cost
 * that does not grow with the work. Where these bounds would be much too wide (sparse
 * vectors, numbers on a grid that they just miss, or where the work is small anyway)
 * the products of magnitudes are multiplied out, in one or two dgemm more.
 *
 * All vectors are rows of contiguous numbers. Complex vectors come as interleaved
 * parts.
 */
#ifndef ONCHIP_REFERENCE_PRODUCT_H
#define ONCHIP_REFERENCE_PRODUCT_H

#include "reference/blas.h"
#include "reference/sum.h"

enum { OC__MAX_PARTS = 3 };

/* How a device reads the numbers of one operand (numerics 2.6). */
typedef struct oc__reading {
    int precision;    /* significand bits; 0: as they are */
    int min_exponent; /* of the type that is read */
    double overflow_from;
    bool truncates; /* toward zero; else to nearest even */
    size_t parts;   /* a number is read as the sum of so many of that precision */
} oc__reading;

/* The numbers of an operand as they are read. */
typedef struct oc__operand {
    const double *m, *r, *s;            /* the sums of the parts; r, s may be NULL */
    const double *parts[OC__MAX_PARTS]; /* parts[0] is m when there is but one */
    size_t part_count;
    double *own[OC__MAX_PARTS + 2];
} oc__operand;

/* Reads `count` numbers; m, r and s must outlive the operand. */
OC_MUST_USE oc_status oc__operand_read(const oc__reading *reading, const double *m,
                                       const double *r, const double *s, size_t count,
                                       oc__operand *out_operand, oc_error *err);
void oc__operand_free(oc__operand *operand);

/* `count` vectors of `length` numbers, one after the other; or, with `panel` > 0,
 * across: [count / panel][length][panel]. */
typedef struct oc__layout {
    size_t count, length, panel;
} oc__layout;

/* The place of element k of vector v. */
static inline size_t oc__layout_at(const oc__layout *at, size_t v, size_t k)
{
    return at->panel == 0
               ? v * at->length + k
               : (v - v % at->panel) * at->length + k * at->panel + v % at->panel;
}

/* The vectors of one operand and what is known of each. */
typedef struct oc__side {
    oc__layout at;
    const oc__operand *operand;
    const double *m, *r; /* what is not finite is 0 here */
    const double *parts[OC__MAX_PARTS];
    double *norms;  /* [6 * count]: sums, Euclid's and largest ones of |m|, then of r */
    double *terms;  /* [count]: elements that are not 0 */
    int *grid;      /* [count]: the grid that holds the vector, or OC__NO_GRID */
    bool any_grid;  /* some vector has a grid */
    uint8_t *flags; /* [count]: OC__F_ and OC__TERM_ of all elements */
    bool subnormals; /* below the accumulator's normal numbers; known when it flushes */
    bool special;    /* some flag is a class */
    double *own[OC__MAX_PARTS + 2];
} oc__side;

/* f: a byte for every `per_flag` elements; may be NULL. */
OC_MUST_USE oc_status oc__side_make(const oc__sum_model *model,
                                    const oc__operand *operand,
                                    const oc__layout *layout, const uint8_t *f,
                                    size_t per_flag, oc__side *out_side, oc_error *err);
void oc__side_free(oc__side *side);

/* The classes of all terms of vector i of a times vector j of b; costs their length
 * where there are any. */
uint8_t oc__side_classes(const oc__side *a, size_t i, const oc__side *b, size_t j);

/* Where results go: element (i, j) to [row_stride * i + column_stride * j], its flags,
 * to those that are there, at half that place for parts of complex numbers. s may be
 * NULL. */
typedef struct oc__product_out {
    double *m, *r, *s;
    uint8_t *f;
    size_t start, row_stride, column_stride;
    bool pairs;
} oc__product_out;

typedef struct oc__product {
    oc__call *call;
    oc__dgemm_fn dgemm;
    const oc__sum_model *model;
    const oc__side *a, *b;
    bool all_pairs; /* of parts; else those whose places add up to less than parts */
    bool exact_products; /* products of two numbers fit the accumulator */
    bool transforms;   /* may be computed by transforms, never exact; false when made */
    double longest;    /* terms on the longest path, for one element of the vectors */
    bool multiply_out; /* magnitudes by dgemm; else bounds from norms */
    size_t rows_at_once, columns;
    double *value; /* [rows_at_once][columns]: midpoints */
    double *total; /* (|a| + ra) . (|b| + rb) */
    double *inner; /* |a| . |b|, where there are radii */
    double *variance;
    double *left, *right; /* factors of the last three */
    double *row;          /* [3][columns] */
} oc__product;

/* Products of parts of a's vectors with parts of b's: at most `columns` of b at a time.
 * work: multiply-adds in all. */
OC_MUST_USE oc_status oc__product_make(oc__call *call, const oc__sum_model *model,
                                       const oc__side *a, const oc__side *b,
                                       bool exact_products, bool all_pairs,
                                       double longest, size_t columns, double work,
                                       oc__product *out_product, oc_error *err);
void oc__product_free(oc__product *product);

/* Vectors a0 .. a0 + rows of a with b0 .. b0 + columns of b: whole panels of b where it
 * has some. */
OC_MUST_USE oc_status oc__product_run(oc__product *product, size_t a0, size_t rows,
                                      size_t b0, size_t columns,
                                      const oc__product_out *out, oc_error *err);

#endif
