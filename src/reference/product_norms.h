/* Norms and grids of many vectors. */
#ifndef ONCHIP_REFERENCE_PRODUCT_NORMS_H
#define ONCHIP_REFERENCE_PRODUCT_NORMS_H

#include "reference/product.h"

/* norms[3][count]: upper bounds of |x|_1, |x|_2 and the largest |x_k| of every vector;
 * terms[count]: elements that are not 0. Zeros to begin with. */
void oc__vector_norms(const double *x, const oc__layout *layout, double *norms,
                      double *terms);

/* The grid that holds each vector; OC__NO_GRID when its largest element is most_steps
 * or more, so that no sum of products with it can be exact. Whether there is any. */
bool oc__vector_grids(const double *x, const oc__layout *layout, const double *largest,
                      double most_steps, int *grid);

#endif
