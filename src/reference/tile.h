/* Inside of the elementwise operations on real floats: what tile functions share. */
#ifndef ONCHIP_REFERENCE_TILE_H
#define ONCHIP_REFERENCE_TILE_H

#include "reference/round.h"

/* --- tile functions of one operation (oc__tile_find knows them by name) --- */

typedef void oc__tile_function(const oc__tile_env *env, size_t n, const oc__tile *in,
                               oc__tile *out);
oc__tile_function oc__tile_add, oc__tile_subtract, oc__tile_multiply, oc__tile_divide,
    oc__tile_sqrt, oc__tile_remainder, oc__tile_maximum, oc__tile_minimum,
    oc__tile_clamp, oc__tile_abs, oc__tile_negate, oc__tile_sign, oc__tile_floor,
    oc__tile_ceil, oc__tile_round_afz, oc__tile_round_even, oc__tile_convert,
    oc__tile_reduce_precision;

/* --- running them --- */

/* Room for a tile's planes. */
typedef struct oc__tile_room {
    _Alignas(64) double m[OC__TILE];
    double r[OC__TILE], s[OC__TILE];
    uint8_t f[OC__TILE];
} oc__tile_room;
oc__tile oc__tile_in(oc__tile_room *room, bool sigma);

/* What tile function `fn` is to know of the call's operation (it looks at eval, frame,
 * op and process only). from, dtype: element types of the first operand and the result.
 */
oc__tile_env oc__tile_env_of(const oc__call *call, oc__tile_fn fn, oc_dtype from,
                             oc_dtype dtype);

/* The tile function under the contract: operands and results widened where the device
 * may flush. in and out do not overlap. */
void oc__tile_apply(const oc__tile_env *env, oc__tile_fn fn, size_t arity, size_t n,
                    const oc__tile *in, oc__tile *out);

/* A float value that is read tile by tile; a single element stands for every element.
 */
typedef struct oc__tile_source {
    const oc__value *value;
    bool single, sigma;
    oc__tile_room room; /* single elements */
} oc__tile_source;
void oc__tile_source_init(oc__tile_source *source, const oc__value *value, bool single,
                          bool sigma);
void oc__tile_source_splat(oc__tile_source *source, double number, bool sigma);
/* Elements at, at + 1, ...; to be read only. Valid as long as source and value stay. */
oc__tile oc__tile_source_at(const oc__tile_source *source, size_t at);

/* Planes of operands that nobody needs after the operation. A result may take them:
 * its tiles are put when nothing reads those of the operands any more. */
enum { OC__TILE_SPARES = 8 };
typedef struct oc__tile_spares {
    size_t count;
    oc__plane *planes[OC__TILE_SPARES];
} oc__tile_spares;
/* Adds the planes of a value that only the caller holds, and that it gives up. */
void oc__tile_spare(oc__tile_spares *spares, const oc__value *value);
void oc__tile_spares_free(oc__tile_spares *spares);

/* A float value that is filled tile by tile, in order. Planes of zeros are not made. */
typedef struct oc__tile_sink {
    oc__value *value;
    bool sigma;
    oc__tile_spares *spares;
    oc__tile_room room;
} oc__tile_sink;
/* The tile in the sink's room, written before, as elements at, at + 1, ... */
OC_MUST_USE oc_status oc__tile_sink_put(oc__tile_sink *sink, size_t at, size_t n,
                                        oc_error *err);

/* The dims of an elementwise result: those of the operands, which must agree. Operands
 * of rank 0 may join others where `scalars` allows it, single elements in a batch.
 * OC_PARSE.
 */
OC_MUST_USE oc_status oc__elementwise_dims(oc__call *call, bool scalars,
                                           int64_t *out_dims, size_t *out_rank,
                                           oc_error *err);

/* --- elements --- */

/* One element, as the code that looks at special elements sees it. */
typedef struct oc__ball {
    double m, r;
    uint8_t f;
} oc__ball;

static inline oc__ball oc__ball_at(const oc__tile *tile, size_t i)
{
    return (oc__ball){tile->m[i], tile->r[i], tile->f[i]};
}

/* Surely NaN. */
bool oc__ball_nan(oc__ball x);
/* Anything may come. */
bool oc__ball_undecided(oc__ball x);
/* Zero is among the values. */
bool oc__ball_has_zero(oc__ball x);
/* The sign is the same for all values, zeros included. */
bool oc__ball_signed(oc__ball x);

/* out = the flags of all operands that pass on. */
void oc__tile_flags(size_t arity, size_t n, const oc__tile *in, uint8_t *out);
/* What an exact operation gave, as a type of a few bits has it: one zero only, and no
 * whole number past its largest. */
void oc__tile_own_numbers(oc_dtype dtype, size_t n, double *m);
/* All operands are points, and none is a zero of unknown sign. */
bool oc__tile_plain(size_t arity, size_t n, const oc__tile *in);
/* Some number of the array is not zero. */
bool oc__any(const double *values, size_t n);

#endif
