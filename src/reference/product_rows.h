/* From products of vectors to balls, a block of rows at a time. */
#ifndef ONCHIP_REFERENCE_PRODUCT_ROWS_H
#define ONCHIP_REFERENCE_PRODUCT_ROWS_H

#include "reference/product.h"

typedef struct oc__block {
    size_t a0, rows, b0, columns;
} oc__block;

typedef struct oc__norms {
    double sum, euclid, largest;
} oc__norms;

/* Norms of vector v, place 0: of m, 3: of r. */
static inline oc__norms oc__norms_at(const oc__side *side, size_t v, size_t place)
{
    const double *at = side->norms + place * side->at.count + v;
    return (oc__norms){at[0], at[side->at.count], at[2 * side->at.count]};
}

/* Results of the block whose first row is row `first_row` of `out`, from product->value
 * and what else was multiplied out. */
void oc__product_finish(const oc__product *product, const oc__block *at,
                        size_t first_row, const oc__product_out *out);

#endif
