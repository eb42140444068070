/* Folding elements with one operation in any order: what reduce and reduce_window
 * share.
 *
 * An operation on balls needs more than the midpoints: a sum wants its terms'
 * magnitudes, radii and common grid (sum.h), a maximum the highest and lowest ends of
 * the balls. Each of these is a statistic that folds by itself with a plain operation
 * on one lane an element; when all are folded, the ball of the result follows from
 * them. Integers have one statistic, their value. One statistic more, the flags of the
 * elements, folds with `or`; terms that are no finite balls take part in it alone, by
 * their class. */
#ifndef ONCHIP_REFERENCE_FOLD_H
#define ONCHIP_REFERENCE_FOLD_H

#include "reference/lanes.h"
#include "reference/sum.h"

enum { OC__FOLD_WIDTH = 10 }; /* statistics, at most */

typedef struct oc__fold {
    oc_dtype dtype;
    oc__body body;
    size_t width; /* the last statistic is that of the flags */
    uint8_t stats[OC__FOLD_WIDTH];
    bool pairs; /* complex: elements are components, flags one for two of them */
    bool balls; /* some element has a radius */
    oc__sum_model model;
} oc__fold;

/* How to fold elements of `in` and its initial value `init` with the body; false when
 * there is no such way (a body of another kind, a product of complex numbers, ...). */
bool oc__fold_make(const oc__call *call, oc__body body, const oc__value *in,
                   const oc__value *init, oc__fold *out_fold);

/* Lanes are arrays lanes[statistic * stride + element]. A complex tensor has twice its
 * count of elements here. */

/* Statistics that fold to nothing. */
void oc__fold_clear(const oc__fold *fold, oc__lane *lanes, size_t stride, size_t n);

/* The same for one of them alone: its lanes start at `to`. */
void oc__fold_clear_one(const oc__fold *fold, size_t stat, oc__lane *to, size_t n);

/* Statistics of elements start .. start + n. False when none has a flag or class (that
 * statistic is then not written). */
bool oc__fold_derive(const oc__fold *fold, const oc__value *value, size_t start,
                     size_t n, oc__lane *lanes, size_t stride);

/* to[i] = to[i] op from[i], for one statistic. from may lie ahead of to in one array.
 */
void oc__fold_into(const oc__fold *fold, size_t stat, oc__lane *to,
                   const oc__lane *from, size_t n);

/* from[groups][rows][columns] over the rows into to[groups][columns]. */
void oc__fold_rows(const oc__fold *fold, size_t stat, oc__lane *to,
                   const oc__lane *from, size_t groups, size_t rows, size_t columns);

/* Lets the initial value take part in elements start .. start + n of the result:
 * times[i] times, once when `times` is NULL. */
void oc__fold_enter(const oc__fold *fold, const oc__value *init, const uint64_t *times,
                    size_t start, size_t n, oc__lane *lanes, size_t stride);

/* Whether how often the initial value enters can change the result: it is not neutral,
 * nor absorbing, nor is the operation idempotent. */
bool oc__fold_counts(const oc__fold *fold, const oc__value *init);

/* A value of these dims with planes for what oc__fold_finish writes. */
OC_MUST_USE oc_status oc__fold_result(const oc__fold *fold, const int64_t *dims,
                                      size_t rank, oc__value **out_value,
                                      oc_error *err);

/* Elements start .. start + n of the result from folded statistics, which are spoilt.
 */
void oc__fold_finish(const oc__fold *fold, oc__lane *lanes, size_t stride, size_t n,
                     oc__value *result, size_t start);

#endif
