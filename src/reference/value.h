/* A value of the reference: a tensor whose elements are balls.
 *
 * The midpoint m of a float is the value that the text of the program gives: every
 * operation evaluated and rounded to nearest even in its result's type (sums, products
 * of many factors, dots and convolutions are accumulated wide and rounded once, up to
 * 64 terms step by step: in_order.h). The radius r bounds |d - m| for every d that a
 * device conforming to the contract may give. r = 0: a point, only m is right. r =
 * INFINITY (or NaN): undecided, anything may come out. NaN and infinities are ordinary
 * midpoints with r = 0: a value that surely is one of them.
 *
 *     planes  floats: doubles; complex: pairs (re, im) of doubles, radii alike
 *             integers and i1: the bytes of oc_tensor's layout (exact, no radius)
 *             quantized: the storage integers
 *             tokens: none; tuples: `elements` instead
 * A plane that is NULL stands for zeros. Planes and values are shared and counted;
 * neither is written to once it is shared (oc__value_own_* copies where need be).
 */
#ifndef ONCHIP_REFERENCE_VALUE_H
#define ONCHIP_REFERENCE_VALUE_H

#include "base/error.h"
#include "onchip/tensor.h"
#include "stablehlo/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flags of an element (plane f). Those of OC__F_STICKY pass from every operand to the
 * result. */
enum {
    OC__F_UNDECIDED =
        1,           /* integers and i1: not known. Floats have r = INFINITY instead */
    OC__F_HULL = 2,  /* a hull over a jump went into it (numerics 5.6) */
    OC__F_OPEN = 4,  /* the specification leaves it open; m is what XLA does */
    OC__F_TABLE = 8, /* a documented figure of a transcendental went into the radius */
    OC__F_ZERO_SIGN = 16, /* m is a zero and its sign says nothing */
    OC__F_STICKY = OC__F_HULL | OC__F_OPEN | OC__F_TABLE
};

typedef struct oc__plane {
    size_t references;
    size_t size_bytes;
    _Alignas(64) unsigned char bytes[];
} oc__plane;

typedef struct oc__value oc__value;
struct oc__value {
    size_t references;
    oc__hlo_type_kind kind; /* TENSOR, TOKEN, TUPLE */
    oc_dtype dtype;
    const oc__hlo_quant *quant;
    size_t rank;
    int64_t dims[OC_MAX_RANK];
    size_t count;
    oc__plane *m; /* never NULL in a tensor */
    oc__plane *r; /* floats and complex only */
    oc__plane *s; /* standard deviation of the device's rounding errors; floats only */
    oc__plane *f; /* one byte an element (a complex element too) */
    size_t element_count; /* TUPLE */
    oc__value **elements;
};

/* NULL when out of memory or when the size does not fit. Not zeroed. */
oc__plane *oc__plane_make(size_t count, size_t size);
oc__plane *oc__plane_retain(oc__plane *plane); /* takes NULL */
void oc__plane_release(oc__plane *plane);      /* takes NULL */

/* A plane is released on the thread that made it. The planes of this thread: bytes
 * alive, and the most that may be (SIZE_MAX: no limit). oc__plane_make refuses what
 * goes past it, and remembers that it did until the next oc__planes_limit, which
 * returns the limit that was in force before. */
size_t oc__planes_alive(void);
size_t oc__planes_limit(size_t max_bytes);
bool oc__planes_refused(void);

/* Yields OC_NOMEM. */
OC_MUST_USE static inline oc_status oc__no_memory(oc_error *err)
{
    oc__ignore(OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC,
                       "no memory for a tensor of the reference"));
    return OC_NOMEM;
}

/* A tensor with a plane m of its own (not zeroed) and no others. OC_LIMIT: the product
 * of the dimensions or the rank does not fit; OC_NOMEM. `quant` may be NULL. */
OC_MUST_USE oc_status oc__value_make(oc_dtype dtype, const oc__hlo_quant *quant,
                                     const int64_t *dims, size_t rank,
                                     oc__value **out_value, oc_error *err);
OC_MUST_USE oc_status oc__value_token(oc__value **out_value, oc_error *err);
oc__value *oc__value_retain(oc__value *value);
void oc__value_release(oc__value *value); /* takes NULL */

/* A new value of other dims (same count) that shares the planes. */
OC_MUST_USE oc_status oc__value_reshaped(const oc__value *value, const int64_t *dims,
                                         size_t rank, oc__value **out_value,
                                         oc_error *err);

/* From and to an oc_tensor. `from` makes points; `to` rounds m to the type. */
OC_MUST_USE oc_status oc__value_from_tensor(const oc_tensor *tensor,
                                            const oc__hlo_quant *quant,
                                            oc__value **out_value, oc_error *err);
OC_MUST_USE oc_status oc__value_to_tensor(const oc__value *value, oc_tensor *out_tensor,
                                          oc_error *err);

/* Gives the value a plane of its own, zeroed when it had none: NULL when out of memory.
 * For a value that nobody else holds yet. */
double *oc__value_own_r(oc__value *value);
double *oc__value_own_s(oc__value *value);
uint8_t *oc__value_own_f(oc__value *value);
/* Drops planes r, s and f that hold zeros only. */
void oc__value_tidy(oc__value *value);

bool oc__dtype_is_float(oc_dtype dtype); /* real floats */
bool oc__dtype_is_complex(oc_dtype dtype);
bool oc__dtype_is_integer(oc_dtype dtype); /* not i1 */
bool oc__dtype_is_signed(oc_dtype dtype);

/* Whether the elements are balls of reals or complex numbers; else they are exact. */
bool oc__value_has_balls(const oc__value *value);

/* Bytes of one element of plane m. */
size_t oc__value_m_size(const oc__value *value);

/* Reads a tensor of integers or i1 as int64 (ui64 past INT64_MAX saturates); false when
 * an element is undecided. `out` has count elements. For shapes, indices, predicates.
 */
bool oc__value_ints(const oc__value *value, int64_t *out);

static inline double *oc__m(const oc__value *v)
{
    return (double *)(void *)v->m->bytes;
}
static inline double *oc__r(const oc__value *v)
{
    return v->r ? (double *)(void *)v->r->bytes : NULL;
}
static inline double *oc__s(const oc__value *v)
{
    return v->s ? (double *)(void *)v->s->bytes : NULL;
}
static inline uint8_t *oc__f(const oc__value *v)
{
    return v->f ? v->f->bytes : NULL;
}

/* Row-major strides in elements. */
void oc__strides(const int64_t *dims, size_t rank, int64_t *out_strides);

/* Data movement, for every plane alike: element i of the result is element index[i] of
 * the source, or of `other` (a scalar value) where index[i] < 0. `other` may be NULL
 * when no index is negative. */
OC_MUST_USE oc_status oc__value_gather(const oc__value *source, const oc__value *other,
                                       const int64_t *index, const int64_t *dims,
                                       size_t rank, oc__value **out_value,
                                       oc_error *err);

/* A copy of `target` with element index[i] taken from element i of `update` (index[i] <
 * 0: dropped), for every plane. Writes in place when `take` is true and nobody else
 * holds `target`, planes included; *out_value is then `target` itself, with one more
 * reference: the caller's own stays the caller's to release. (A kernel passes its
 * operand as it is: the operand of a value that is still needed has more than one
 * reference.) */
OC_MUST_USE oc_status oc__value_overwrite(oc__value *target, bool take,
                                          const oc__value *update, const int64_t *index,
                                          oc__value **out_value, oc_error *err);

#endif
