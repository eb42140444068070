/* What tiles are made of: elements, and planes of values read and written tile by tile.
 */
#include "reference/tile.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- elements --- */

bool oc__ball_nan(oc__ball x)
{
    return x.r == 0 && isnan(x.m);
}

bool oc__ball_undecided(oc__ball x)
{
    return !(x.r <= DBL_MAX);
}

bool oc__ball_has_zero(oc__ball x)
{
    return fabs(x.m) <= x.r;
}

bool oc__ball_signed(oc__ball x)
{
    return x.r > 0 ? fabs(x.m) > x.r : x.m != 0 || !(x.f & OC__F_ZERO_SIGN);
}

/* Vectors without reassociation: the bits of all numbers, the sign apart. */
OC__CLONES bool oc__any(const double *values, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        all |= bits;
    }
    return all << 1 != 0;
}

OC__CLONES static uint8_t all_flags(const uint8_t *flags, size_t n)
{
    uint8_t all = 0;
    for (size_t i = 0; i < n; i++) {
        all |= flags[i];
    }
    return all;
}

bool oc__tile_plain(size_t arity, size_t n, const oc__tile *in)
{
    for (size_t k = 0; k < arity; k++) {
        if (oc__any(in[k].r, n) || (all_flags(in[k].f, n) & OC__F_ZERO_SIGN)) {
            return false;
        }
    }
    return true;
}

OC__CLONES static void keep_flags(size_t n, const uint8_t *restrict in, uint8_t first,
                                  uint8_t *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)((out[i] & first) | (in[i] & OC__F_STICKY));
    }
}

void oc__tile_flags(size_t arity, size_t n, const oc__tile *in, uint8_t *out)
{
    for (size_t k = 0; k < arity; k++) {
        keep_flags(n, in[k].f, k == 0 ? 0 : OC__F_STICKY, out);
    }
}

/* --- planes of values --- */

/* Stand for planes that a value lacks; never written. */
static double no_numbers[OC__TILE];
static uint8_t no_flags[OC__TILE];

oc__tile oc__tile_in(oc__tile_room *room, bool sigma)
{
    return (oc__tile){room->m, room->r, sigma ? room->s : NULL, room->f};
}

static void fill(double *to, const double *from)
{
    for (size_t i = 0; i < OC__TILE; i++) {
        to[i] = from ? *from : 0;
    }
}

void oc__tile_source_init(oc__tile_source *source, const oc__value *value, bool single,
                          bool sigma)
{
    source->value = value;
    source->single = single;
    source->sigma = sigma;
    if (single) {
        fill(source->room.m, oc__m(value));
        fill(source->room.r, oc__r(value));
        fill(source->room.s, oc__s(value));
        memset(source->room.f, value->f ? *oc__f(value) : 0, sizeof source->room.f);
    }
}

void oc__tile_source_splat(oc__tile_source *source, double number, bool sigma)
{
    *source = (oc__tile_source){.single = true, .sigma = sigma};
    fill(source->room.m, &number);
}

oc__tile oc__tile_source_at(const oc__tile_source *source, size_t at)
{
    const oc__value *v = source->value;
    if (source->single) {
        return oc__tile_in((oc__tile_room *)(uintptr_t)&source->room, source->sigma);
    }
    return (oc__tile){oc__m(v) + at, v->r ? oc__r(v) + at : no_numbers,
                      !source->sigma ? NULL
                      : v->s         ? oc__s(v) + at
                                     : no_numbers,
                      v->f ? oc__f(v) + at : no_flags};
}

/* --- planes of results --- */

void oc__tile_spare(oc__tile_spares *spares, const oc__value *value)
{
    oc__plane *const planes[] = {value->m, value->r, value->s};
    for (size_t i = 0; i < 3 && value->references == 1; i++) {
        if (planes[i] && planes[i]->references == 1 &&
            spares->count < OC__TILE_SPARES) {
            spares->planes[spares->count++] = oc__plane_retain(planes[i]);
        }
    }
}

void oc__tile_spares_free(oc__tile_spares *spares)
{
    while (spares->count > 0) {
        oc__plane_release(spares->planes[--spares->count]);
    }
}

static oc__plane *take_spare(oc__tile_spares *spares, size_t size_bytes)
{
    for (size_t i = 0; i < spares->count; i++) {
        oc__plane *plane = spares->planes[i];
        if (plane->size_bytes == size_bytes) {
            spares->planes[i] = spares->planes[--spares->count];
            return plane;
        }
    }
    return NULL;
}

/* Elements at, at + 1, ... of a plane. One that is needed for the first time has zeros
 * before them. */
static bool put(oc__tile_sink *sink, oc__plane **plane, size_t size, bool needed,
                size_t at, size_t n, const void *filled)
{
    if (!*plane && needed) {
        *plane = take_spare(sink->spares, sink->value->count * size);
        *plane = *plane ? *plane : oc__plane_make(sink->value->count, size);
        if (!*plane) {
            return false;
        }
        memset((*plane)->bytes, 0, at * size);
    }
    if (*plane) {
        memcpy((*plane)->bytes + at * size, filled, n * size);
    }
    return true;
}

oc_status oc__tile_sink_put(oc__tile_sink *sink, size_t at, size_t n, oc_error *err)
{
    oc__value *v = sink->value;
    const oc__tile_room *room = &sink->room;
    oc__plane *spare = at == 0 ? take_spare(sink->spares, v->m->size_bytes) : NULL;
    if (spare) {
        oc__plane_release(v->m);
        v->m = spare;
    }
    bool made = put(sink, &v->m, sizeof *room->m, true, at, n, room->m) &&
                put(sink, &v->r, sizeof *room->r, !v->r && oc__any(room->r, n), at, n,
                    room->r) &&
                (!sink->sigma || put(sink, &v->s, sizeof *room->s,
                                     !v->s && oc__any(room->s, n), at, n, room->s)) &&
                put(sink, &v->f, sizeof *room->f, !v->f && all_flags(room->f, n), at, n,
                    room->f);
    return made ? OC_OK
                : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC,
                          "no memory for %zu elements", v->count);
}
