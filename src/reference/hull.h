/* Values that are not known, and the hull of values of which one is right. */
#ifndef ONCHIP_REFERENCE_HULL_H
#define ONCHIP_REFERENCE_HULL_H

#include "reference/value.h"

/* Makes every element undecided (r = INFINITY, or OC__F_UNDECIDED), midpoints kept, and
 * sets `flags`. *value may be replaced by a copy that nobody else holds. Tuples and
 * tokens are taken. */
OC_MUST_USE oc_status oc__value_undecide(oc__value **value, uint8_t flags,
                                         oc_error *err);

/* Sets `flags` in every element; *value as above, untouched when flags is 0. */
OC_MUST_USE oc_status oc__value_flag(oc__value **value, uint8_t flags, oc_error *err);

/* Widens *value so that it holds `other` too; the midpoints stay. Balls that overlap
 * give a ball; others give one marked OC__F_HULL; classes or integers that differ, and
 * shapes that differ, give undecided elements. *value as above. */
OC_MUST_USE oc_status oc__value_hull(oc__value **value, const oc__value *other,
                                     oc_error *err);

/* The sticky flags of all elements together. */
uint8_t oc__value_sticky(const oc__value *value);

/* A tensor, token or tuple of a declared type, of zeros. OC_INVALID_ARGUMENT when a
 * dimension is not known. */
OC_MUST_USE oc_status oc__value_zeros(const oc__hlo_type *type, oc__value **out_value,
                                      oc_error *err);

/* A tuple of `count` values, whose references it takes over on success. */
OC_MUST_USE oc_status oc__value_tuple(oc__value *const *elements, size_t count,
                                      oc__value **out_value, oc_error *err);

#endif
