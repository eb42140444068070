/* One element through the tile function of a transcendental operation. */
#ifndef ONCHIP_TESTS_SPECIAL_FIXTURE_H
#define ONCHIP_TESTS_SPECIAL_FIXTURE_H

#include "unit.h"

#include "reference/figures.h"
#include "reference/tile.h"

#include <math.h>
#include <stdio.h>

typedef struct ball {
    double m, r, s;
    uint8_t f;
} ball;

/* The text's own contract. */
extern const oc__arith text;

/* `name` without its dialect; atol, rtol: of result_accuracy, 0 for none. y: the second
 * operand, where there is one. */
ball apply_as(const oc__arith *arith, const char *name, oc_dtype dtype, ball x, ball y,
              double atol, double rtol);
ball apply(const char *name, oc_dtype dtype, double m, double r);
/* Two points. */
ball apply2(const char *name, oc_dtype dtype, double x, double y);

#endif
