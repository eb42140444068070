#include "numeric/ladder.h"

#include "tensor/float_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen once, on runs of a good device (numerics 0 and 2.4), not per program. */
#define Z_LIMIT     10.0
#define RMS_Z_LIMIT 1.5
enum { RMS_MIN_COUNT = 32, ROW_MIN_COUNT = 8, ROW_SHARE = 8 };
#define LOOSE_SHARE 0.125

enum { CHUNK = 1024 };

const char *oc__outcome_name(oc__outcome outcome)
{
    static const char *const names[OC__OUTCOMES] = {
        [OC__CONSISTENT_EXACT] = "consistent (exact)",
        [OC__CONSISTENT_HARD] = "consistent (hard)",
        [OC__CONSISTENT_PROFILE] = "consistent (profile)",
        [OC__LOOSE] = "loose",
        [OC__SUSPECT] = "suspect",
        [OC__UNDECIDED] = "undecided",
        [OC__NOT_JUDGED] = "not judged",
        [OC__REFUTED] = "refuted",
    };
    OC_ASSERT((size_t)outcome < OC__OUTCOMES);
    return names[outcome];
}

const char *oc__difference_name(oc__difference difference)
{
    static const char *const names[OC__DIFFERENCES] = {
        [OC__DIFFERS_VALUE] = "value",
        [OC__DIFFERS_NAN_DROPPED] = "nan_dropped",
        [OC__DIFFERS_NAN_MADE] = "nan_made",
        [OC__DIFFERS_INFINITE] = "infinity_made",
        [OC__DIFFERS_FINITE] = "overflow_folded",
        [OC__DIFFERS_ZERO_SIGN] = "sign_of_zero",
    };
    OC_ASSERT((size_t)difference < OC__DIFFERENCES);
    return names[difference];
}

void oc__ladder_free(oc__ladder *ladder)
{
    if (ladder) {
        free(ladder->outcomes);
        *ladder = (oc__ladder){0};
    }
}

void oc__ladder_count(oc__ladder *ladder)
{
    memset(ladder->counts, 0, sizeof ladder->counts);
    for (size_t i = 0; i < ladder->count; i++) {
        ladder->counts[ladder->outcomes[i]]++;
    }
}

/* What is gathered on the way. */
typedef struct pass {
    oc__ladder *ladder;
    bool has_refuted;
    double ratio_squares, z_squares, z_signed;
    uint64_t ratio_count;
} pass;

static void refute(pass *p, size_t element, oc__difference how, uint8_t flags,
                   double got, double want, double radius)
{
    oc__ladder *ladder = p->ladder;
    ladder->differences[how]++;
    ladder->from_table = ladder->from_table || (flags & OC__F_TABLE);
    if (!p->has_refuted) {
        p->has_refuted = true;
        ladder->worst = element;
        ladder->worst_got = got;
        ladder->worst_want = want;
        ladder->worst_radius = radius;
    }
}

static void take_ratio(pass *p, size_t element, double got, double want, double radius)
{
    double ratio = fabs(got - want) / radius;
    p->ratio_squares += ratio * ratio;
    p->ratio_count++;
    if (ratio > p->ladder->max_ratio || p->ratio_count == 1) {
        p->ladder->max_ratio = ratio;
        if (!p->has_refuted) {
            p->ladder->worst = element;
            p->ladder->worst_got = got;
            p->ladder->worst_want = want;
            p->ladder->worst_radius = radius;
        }
    }
}

/* True when the element is suspect by itself. */
static bool take_z(pass *p, double got, double want, double sigma)
{
    if (!(sigma > 0.0) || !isfinite(got) || !isfinite(want)) {
        return false;
    }
    double z = (got - want) / sigma;
    p->ladder->z_count++;
    p->z_squares += z * z;
    p->z_signed += want < 0.0 ? -z : z;
    if (fabs(z) > p->ladder->max_z) {
        p->ladder->max_z = fabs(z);
    }
    return fabs(z) > Z_LIMIT;
}

/* How `got` leaves the ball, or false when it is inside. */
static bool differs(double got, double want, double radius, uint8_t flags,
                    oc__difference *how)
{
    if (isnan(want) || isnan(got)) {
        *how = isnan(want) ? OC__DIFFERS_NAN_DROPPED : OC__DIFFERS_NAN_MADE;
        return isnan(want) != isnan(got);
    }
    if (isinf(want)) {
        *how = isinf(got) ? OC__DIFFERS_VALUE : OC__DIFFERS_FINITE;
        return got != want;
    }
    if (isinf(got)) {
        *how = OC__DIFFERS_INFINITE;
        return true;
    }
    if (want == 0.0 && got == 0.0 && radius == 0.0) {
        *how = OC__DIFFERS_ZERO_SIGN;
        return !(flags & OC__F_ZERO_SIGN) && signbit(want) != signbit(got);
    }
    *how = OC__DIFFERS_VALUE;
    return !(fabs(got - want) <= radius);
}

/* One real number (a component, where the type is complex). */
static oc__outcome judge_real(pass *p, size_t element, double got, double want,
                              double radius, double sigma, uint8_t flags)
{
    oc__difference how;
    if (flags & OC__F_OPEN) {
        return OC__NOT_JUDGED;
    }
    if (!(radius < (double)INFINITY)) {
        return OC__UNDECIDED;
    }
    bool strange = take_z(p, got, want, sigma);
    if (differs(got, want, radius, flags, &how)) {
        refute(p, element, how, flags, got, want, radius);
        return OC__REFUTED;
    }
    if (radius > 0.0) {
        take_ratio(p, element, got, want, radius);
    }
    if (flags & OC__F_HULL) {
        return OC__UNDECIDED;
    }
    if (strange) {
        return OC__SUSPECT;
    }
    return radius > 0.0 ? OC__CONSISTENT_HARD : OC__CONSISTENT_EXACT;
}

/* A stretch of elements, from `first` on: as they came, and what is to be said. */
typedef struct stretch {
    const void *got;
    size_t first, count;
    uint8_t *outcomes;
} stretch;

static void judge_floats(pass *p, const stretch *part, const oc__value *want)
{
    size_t width = oc__dtype_is_complex(want->dtype) ? 2 : 1;
    size_t size = oc_dtype_host_bits(want->dtype) / 8 / width;
    const double *m = oc__m(want), *r = oc__r(want), *s = oc__s(want);
    const uint8_t *f = oc__f(want);
    double values[CHUNK];
    size_t total = part->count * width;
    for (size_t start = 0; start < total; start += CHUNK) {
        size_t n = total - start < CHUNK ? total - start : CHUNK;
        oc__float_decode_array(want->dtype, (const char *)part->got + start * size, n,
                               values);
        for (size_t k = 0; k < n; k++) {
            size_t at = part->first * width + start + k, element = at / width;
            oc__outcome outcome =
                judge_real(p, element, values[k], m[at], r ? r[at] : 0.0,
                           s ? s[at] : 0.0, f ? f[element] : 0);
            uint8_t *slot = &part->outcomes[element - part->first];
            if (at % width == 0 || outcome > *slot) {
                *slot = (uint8_t)outcome;
            }
        }
    }
}

/* An element of integers, i1 or quantized storage as a number to show. */
static double shown(const unsigned char *bytes, size_t size, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes, size);
    if (is_signed) {
        unsigned shift = (unsigned)(64 - 8 * size);
        return (double)((int64_t)(bits << shift) >> shift);
    }
    return (double)bits;
}

static void judge_integers(pass *p, const stretch *part, const oc__value *want)
{
    size_t size = oc__value_m_size(want);
    bool is_signed = oc__dtype_is_signed(want->dtype);
    const uint8_t *f = oc__f(want);
    const unsigned char *g = part->got, *w = want->m->bytes + part->first * size;
    for (size_t i = 0; i < part->count; i++) {
        uint8_t flags = f ? f[part->first + i] : 0;
        uint8_t *outcome = &part->outcomes[i];
        if (flags & OC__F_OPEN) {
            *outcome = OC__NOT_JUDGED;
        } else if (flags & OC__F_UNDECIDED) {
            *outcome = OC__UNDECIDED;
        } else if (memcmp(g + i * size, w + i * size, size) != 0) {
            refute(p, part->first + i, OC__DIFFERS_VALUE, flags,
                   shown(g + i * size, size, is_signed),
                   shown(w + i * size, size, is_signed), 0.0);
            *outcome = OC__REFUTED;
        } else {
            *outcome = flags & OC__F_HULL ? OC__UNDECIDED : OC__CONSISTENT_EXACT;
        }
    }
}

static void judge_elements(pass *p, const stretch *part, const oc__value *want)
{
    if (oc__value_has_balls(want)) {
        judge_floats(p, part, want);
    } else {
        judge_integers(p, part, want);
    }
}

oc__outcome oc__ladder_element(const void *got, const oc__value *want, size_t element)
{
    uint8_t outcome = 0;
    oc__ladder unused = {.count = 1};
    pass p = {.ladder = &unused};
    const stretch part = {
        .got = got, .first = element, .count = 1, .outcomes = &outcome};
    judge_elements(&p, &part, want);
    return (oc__outcome)outcome;
}

/* The rms of the finite midpoints of `n` elements. */
static double rms(const double *m, size_t n)
{
    double squares = 0.0;
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(m[i])) {
            squares += m[i] * m[i];
            finite++;
        }
    }
    return finite ? sqrt(squares / (double)finite) : 0.0;
}

/* Marks what is too loose to count. */
static void judge_looseness(oc__ladder *ladder, const oc__value *want)
{
    size_t width = oc__dtype_is_complex(want->dtype) ? 2 : 1;
    const double *m = oc__m(want), *r = oc__r(want);
    size_t last = want->rank ? (size_t)want->dims[want->rank - 1] : 1;
    size_t row = last >= ROW_MIN_COUNT ? last : want->count;
    uint8_t *through = calloc(want->count ? want->count : 1, 1);
    for (size_t start = 0; start < want->count; start += row) {
        double scale = rms(m + start * width, row * width);
        for (size_t i = start; i < start + row; i++) {
            if (ladder->outcomes[i] != OC__CONSISTENT_HARD) {
                continue;
            }
            bool by_row = false, loose = false;
            for (size_t k = i * width; k < (i + 1) * width; k++) {
                by_row = by_row || r[k] > LOOSE_SHARE * fabs(m[k]);
                loose = loose || r[k] > LOOSE_SHARE * fmax(fabs(m[k]), scale);
            }
            if (loose || (by_row && !through)) {
                ladder->outcomes[i] = OC__LOOSE;
            } else if (by_row) {
                through[i] = 1;
                ladder->through_row++;
            }
        }
    }
    if (ladder->through_row > want->count / ROW_SHARE) {
        for (size_t i = 0; i < want->count; i++) {
            if (through[i]) {
                ladder->outcomes[i] = OC__LOOSE;
            }
        }
    }
    free(through);
}

static void finish(pass *p)
{
    oc__ladder *ladder = p->ladder;
    ladder->rms_ratio =
        p->ratio_count ? sqrt(p->ratio_squares / (double)p->ratio_count) : 0.0;
    double n = (double)ladder->z_count;
    if (ladder->z_count == 0) {
        ladder->max_z = ladder->rms_z = ladder->bias_z = (double)NAN;
        return;
    }
    ladder->rms_z = sqrt(p->z_squares / n);
    ladder->bias_z = p->z_signed / sqrt(n);
    if (ladder->z_count >= RMS_MIN_COUNT && ladder->rms_z > RMS_Z_LIMIT) {
        for (size_t i = 0; i < ladder->count; i++) {
            if (ladder->outcomes[i] == OC__CONSISTENT_HARD ||
                ladder->outcomes[i] == OC__LOOSE) {
                ladder->outcomes[i] = OC__SUSPECT;
            }
        }
    }
}

oc_status oc__ladder_judge(const oc_tensor *got, const oc__value *want,
                           oc__ladder *out_ladder, oc_error *err)
{
    *out_ladder = (oc__ladder){.count = want->count};
    out_ladder->outcomes = calloc(want->count ? want->count : 1, 1);
    if (!out_ladder->outcomes) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "out of memory");
    }
    pass p = {.ladder = out_ladder};
    const stretch all = {
        .got = got->data, .count = want->count, .outcomes = out_ladder->outcomes};
    judge_elements(&p, &all, want);
    if (oc__value_has_balls(want) && want->r) {
        judge_looseness(out_ladder, want);
    }
    finish(&p);
    oc__ladder_count(out_ladder);
    return OC_OK;
}
