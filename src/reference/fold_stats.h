/* The statistics of folds: fold.c says how each folds, fold_stats.c what it is of an
 * element and what follows from it for the result. */
#ifndef ONCHIP_REFERENCE_FOLD_STATS_H
#define ONCHIP_REFERENCE_FOLD_STATS_H

#include "reference/fold.h"

typedef enum oc__stat {
    SUM_VALUE, /* the fields of oc__sum */
    SUM_TOTAL,
    SUM_TERMS,
    SUM_GRID,
    SUM_SPREAD,
    SUM_SQUARE,
    SUM_VARIANCE,
    PRODUCT_VALUE, /* the fields of oc__factors */
    PRODUCT_REACH,
    PRODUCT_ABOVE,
    PRODUCT_BELOW,
    PRODUCT_ODD,
    PRODUCT_FACTORS,
    PRODUCT_ZEROS,
    PRODUCT_VARIANCE,
    MAXIMUM_VALUE, /* of the midpoints, the upper and the lower ends */
    MAXIMUM_HIGH,
    MAXIMUM_LOW,
    MINIMUM_VALUE,
    MINIMUM_HIGH,
    MINIMUM_LOW,
    DEVIATION,   /* the largest s */
    WRAPPED_SUM, /* integers and i1 */
    WRAPPED_PRODUCT,
    HIGHEST,
    LOWEST,
    ALL_BITS,
    ANY_BITS,
    ODD_BITS,
    FLAGS /* OC__F_ and OC__TERM_ */
} oc__stat;

#endif
