#include "reference/value.h"

#include <string.h>

/* Movement of the elements of one plane, by element size. Elements are copied as bytes
 * of a fixed size: no arithmetic, so a NaN keeps its payload. */

typedef struct element16 {
    uint64_t half[2];
} element16;

/* to[i] = from[index[i]], or *fill where the index is negative. */
#define GATHER(type)                                                                   \
    do {                                                                               \
        __typeof__(type) *t = to;                                                      \
        const __typeof__(type) *s = from;                                              \
        __typeof__(type) x;                                                            \
        memcpy(&x, fill, sizeof x);                                                    \
        for (size_t i = 0; i < count; i++) {                                           \
            t[i] = index[i] < 0 ? x : s[index[i]];                                     \
        }                                                                              \
    } while (0)

static void gather(size_t size, const void *from, const void *fill,
                   const int64_t *index, size_t count, void *to)
{
    switch (size) {
    case 1: GATHER(uint8_t); break;
    case 2: GATHER(uint16_t); break;
    case 4: GATHER(uint32_t); break;
    case 8: GATHER(uint64_t); break;
    default: GATHER(element16); break;
    }
}

/* to[index[i]] = from[i], dropped where the index is negative. */
#define SCATTER(type)                                                                  \
    do {                                                                               \
        __typeof__(type) *t = to;                                                      \
        const __typeof__(type) *s = from;                                              \
        for (size_t i = 0; i < count; i++) {                                           \
            if (index[i] >= 0) {                                                       \
                t[index[i]] = s[i];                                                    \
            }                                                                          \
        }                                                                              \
    } while (0)

static void scatter(size_t size, const void *from, const int64_t *index, size_t count,
                    void *to)
{
    switch (size) {
    case 1: SCATTER(uint8_t); break;
    case 2: SCATTER(uint16_t); break;
    case 4: SCATTER(uint32_t); break;
    case 8: SCATTER(uint64_t); break;
    default: SCATTER(element16); break;
    }
}

/* Bytes of one element of the planes r and s. */
static size_t real_size(const oc__value *value)
{
    return oc__dtype_is_complex(value->dtype) ? 2 * sizeof(double) : sizeof(double);
}

static const element16 zeros = {{0, 0}};

/* One of the planes r, s and f. A missing plane stands for zeros on either side. */
static bool gather_plane(size_t size, const oc__plane *from, const oc__plane *fill,
                         const int64_t *index, size_t count, oc__plane **out)
{
    if (!from && !fill) {
        return true;
    }
    *out = oc__plane_make(count, size);
    if (!*out) {
        return false;
    }
    const void *filling = fill ? (const void *)fill->bytes : (const void *)&zeros;
    if (from) {
        gather(size, from->bytes, filling, index, count, (*out)->bytes);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy((*out)->bytes + i * size, index[i] < 0 ? filling : &zeros, size);
    }
    return true;
}

oc_status oc__value_gather(const oc__value *source, const oc__value *other,
                           const int64_t *index, const int64_t *dims, size_t rank,
                           oc__value **out_value, oc_error *err)
{
    oc__value *made;
    oc_status rc = oc__value_make(source->dtype, source->quant, dims, rank, &made, err);
    *out_value = NULL;
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value none = {0};
    const oc__value *fill = other ? other : &none;
    gather(oc__value_m_size(source), source->m->bytes,
           other ? (const void *)other->m->bytes : (const void *)&zeros, index,
           made->count, made->m->bytes);
    size_t size = real_size(source);
    if (!gather_plane(size, source->r, fill->r, index, made->count, &made->r) ||
        !gather_plane(size, source->s, fill->s, index, made->count, &made->s) ||
        !gather_plane(1, source->f, fill->f, index, made->count, &made->f)) {
        oc__value_release(made);
        return oc__no_memory(err);
    }
    *out_value = made;
    return OC_OK;
}

/* Into one of the planes r, s and f; `to` is NULL when it could not be made. */
static bool overwrite_plane(size_t size, const oc__plane *from, const int64_t *index,
                            size_t count, void *to)
{
    if (to && from) {
        scatter(size, from->bytes, index, count, to);
    }
    for (size_t i = 0; to && !from && i < count; i++) {
        if (index[i] >= 0) {
            memset((unsigned char *)to + (size_t)index[i] * size, 0, size);
        }
    }
    return to != NULL;
}

static bool overwrite_planes(oc__value *made, const oc__value *update,
                             const int64_t *index)
{
    size_t count = update->count;
    if (made->m->references > 1) {
        oc__plane *copy = oc__plane_make(made->count, oc__value_m_size(made));
        if (!copy) {
            return false;
        }
        memcpy(copy->bytes, made->m->bytes, copy->size_bytes);
        oc__plane_release(made->m);
        made->m = copy;
    }
    scatter(oc__value_m_size(made), update->m->bytes, index, count, made->m->bytes);
    size_t size = real_size(made);
    bool has_r = made->r || update->r, has_s = made->s || update->s;
    bool has_f = made->f || update->f;
    return (!has_r ||
            overwrite_plane(size, update->r, index, count, oc__value_own_r(made))) &&
           (!has_s ||
            overwrite_plane(size, update->s, index, count, oc__value_own_s(made))) &&
           (!has_f ||
            overwrite_plane(1, update->f, index, count, oc__value_own_f(made)));
}

oc_status oc__value_overwrite(oc__value *target, bool take, const oc__value *update,
                              const int64_t *index, oc__value **out_value,
                              oc_error *err)
{
    *out_value = NULL;
    oc__value *made = NULL;
    if (take && target->references == 1) {
        made = oc__value_retain(target);
    } else {
        oc_status rc =
            oc__value_reshaped(target, target->dims, target->rank, &made, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    if (!overwrite_planes(made, update, index)) {
        oc__value_release(made);
        return oc__no_memory(err);
    }
    *out_value = made;
    return OC_OK;
}
