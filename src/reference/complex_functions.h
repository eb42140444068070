/* Functions of one complex number, in long double: accurate where the two components
 * differ much in size and where terms cancel. Values at infinities and NaN are those of
 * C's Annex G. */
#ifndef ONCHIP_REFERENCE_COMPLEX_FUNCTIONS_H
#define ONCHIP_REFERENCE_COMPLEX_FUNCTIONS_H

#include <complex.h>
#include <string.h>

typedef long double _Complex oc__number;

/* C11's CMPLXL, which glibc hides from clang. */
static inline oc__number oc__number_of(long double real, long double imaginary)
{
    const long double parts[2] = {real, imaginary};
    oc__number z;
    memcpy(&z, parts, sizeof z);
    return z;
}

typedef enum oc__cut {
    OC__NO_CUT = 0,
    OC__CUT_REAL, /* on the real axis */
    OC__CUT_IMAGINARY
} oc__cut;

typedef struct oc__complex_function {
    const char *name; /* without its dialect */
    oc__number (*f)(oc__number);
    /* A bound of |f'| on the disc of radius rho about z; infinite or NaN where there is
     * none. */
    long double (*slope)(oc__number z, long double rho);
    /* The branch cuts: on the axis at or below `low` and at or above `high`. */
    oc__cut cut;
    double low, high;
} oc__complex_function;

/* NULL when there is none of this name ("stablehlo.tanh"). */
const oc__complex_function *oc__complex_find(const char *op_name);

#endif
