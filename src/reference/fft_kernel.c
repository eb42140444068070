#include "reference/fft.h"
#include "reference/linear.h"

#include <stdlib.h>

/* A slab is what is transformed at once: the last dimensions, as many as there are
 * lengths. |error| <= c log2(N) u |x|_1 in each component, c = 8, N the product of the
 * padded lengths; beyond that, and inside gamma_(N + 8) |x|_1 (the definition's bound),
 * a device is suspect (numerics 4.2, 8.3): hence OC__F_TABLE. */
static const double fft_figure = 8;

typedef enum kind { FFT, IFFT, RFFT, IRFFT } kind;

typedef struct job {
    oc__call *call;
    kind kind;
    size_t axes;          /* lengths */
    size_t lengths[3];    /* of the transforms */
    size_t in[3], out[3]; /* dimensions of a slab before and after */
    size_t in_count, out_count;
    double length, padded; /* products of the lengths */
    oc__fft *fft[3];
    oc__pair *slab; /* [in[0]][in[1]] of lines as long as the longer of in and out */
    size_t line;
} job;

static oc_status read_kind(job *j, oc_error *err)
{
    static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    const char *text = oc__hlo_attr_text(j->call->op, "fft_type", "");
    for (int k = 0; k < 4; k++) {
        if (strcmp(text, names[k]) == 0) {
            j->kind = (kind)k;
            return OC_OK;
        }
    }
    return OC_CALL_FAIL(j->call, err, OC_PARSE, "'%s' is no kind of transform", text);
}

static oc_status read_lengths(job *j, oc_error *err)
{
    oc__call *call = j->call;
    const oc__value *in = call->in[0];
    const int64_t *lengths;
    oc_status rc = oc__read_ints(call, "fft_length", &lengths, &j->axes, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (j->axes < 1 || j->axes > 3 || j->axes > in->rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%zu lengths for %zu dimensions",
                            j->axes, in->rank);
    }
    bool reals = j->kind == RFFT;
    if (oc__dtype_is_complex(in->dtype) == reals ||
        (reals && !oc__dtype_is_float(in->dtype))) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "does not take %s",
                            oc_dtype_name(in->dtype));
    }
    j->length = j->padded = 1;
    j->in_count = j->out_count = 1;
    for (size_t a = 0; a < j->axes; a++) {
        bool last = a + 1 == j->axes;
        int64_t n = lengths[a], half = n / 2 + 1;
        int64_t have = in->dims[in->rank - j->axes + a];
        if (n < 0 || have != (last && j->kind == IRFFT && n > 0 ? half : n)) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "length %lld for a dimension of %lld", (long long)n,
                                (long long)have);
        }
        j->lengths[a] = (size_t)n;
        j->in[a] = (size_t)have;
        j->out[a] = last && reals && n > 0 ? (size_t)half : (size_t)n;
        j->in_count *= j->in[a];
        j->out_count *= j->out[a];
        j->length *= (double)n;
        j->padded *= n > 0 ? oc__fft_padded((size_t)n) : 1;
    }
    return OC_OK;
}

static oc_status make_plans(job *j, oc_error *err)
{
    size_t lines = 1;
    for (size_t a = 0; a + 1 < j->axes; a++) {
        lines *= j->in[a];
    }
    size_t in = j->in[j->axes - 1], out = j->out[j->axes - 1];
    j->line = in > out ? in : out;
    j->slab = calloc(lines * j->line + 1, sizeof *j->slab);
    bool good = j->slab != NULL;
    for (size_t a = 0; good && a < j->axes && j->length > 0; a++) {
        j->fft[a] = oc__fft_make(j->lengths[a], j->kind == IFFT || j->kind == IRFFT);
        good = j->fft[a] != NULL;
    }
    return good ? OC_OK : oc__no_memory(err);
}

/* --- one slab --- */

static size_t lines_of(const job *j)
{
    return j->in_count / j->in[j->axes - 1];
}

static void transform_last(const job *j)
{
    size_t last = j->axes - 1, n = j->lengths[last];
    for (size_t i = 0; i < lines_of(j); i++) {
        oc__pair *line = j->slab + i * j->line;
        if (j->kind == IRFFT) { // the other half is the conjugate of this one
            for (size_t k = n / 2 + 1; k < n; k++) {
                line[k] = (oc__pair){line[n - k].re, -line[n - k].im};
            }
            line[0].im = 0;
            if (n % 2 == 0) {
                line[n / 2].im = 0;
            }
        }
        oc__fft_run(j->fft[last], line, 1);
    }
}

/* Along dimension a < axes - 1, for the first `columns` of every line. */
static void transform_axis(const job *j, size_t a, size_t columns)
{
    size_t inner = j->line, outer = 1;
    for (size_t k = a + 1; k + 1 < j->axes; k++) {
        inner *= j->in[k];
    }
    for (size_t k = 0; k < a; k++) {
        outer *= j->in[k];
    }
    for (size_t o = 0; o < outer; o++) {
        for (size_t i = 0; i < inner; i++) {
            if (i % j->line < columns) {
                oc__fft_run(j->fft[a], j->slab + o * inner * j->in[a] + i, inner);
            }
        }
    }
}

static void transform(const job *j)
{
    size_t last = j->axes - 1;
    bool last_first = j->kind != IRFFT;
    if (last_first) {
        transform_last(j);
    }
    for (size_t a = 0; a < last; a++) {
        transform_axis(j, a, last_first ? j->out[last] : j->in[last]);
    }
    if (!last_first) {
        transform_last(j);
    }
}

/* Loads a slab; the sums of sizes and of radii of its elements, twice for the half that
 * is not there. */
static void load(const job *j, const oc__value *in, size_t start, double *out_size,
                 double *out_spread, uint8_t *out_flags)
{
    size_t n = j->in[j->axes - 1];
    double size = 0, spread = 0;
    const uint8_t *f = oc__f(in);
    *out_flags = OC__F_TABLE;
    for (size_t i = 0; i < j->in_count; i++) {
        double radius;
        oc__number x = oc__number_at(in, start + i, &radius);
        j->slab[i / n * j->line + i % n] = (oc__pair){x.re, x.im};
        size += oc__number_size(x);
        spread += radius;
        *out_flags |= f ? f[start + i] & OC__F_STICKY : 0;
    }
    double halves = j->kind == IRFFT ? 2 : 1;
    *out_size = halves * size;
    *out_spread = halves * spread;
}

static void store(const job *j, oc__value *out, size_t start, double size,
                  double spread, uint8_t flags)
{
    const oc__arith *arith = oc__call_arith(j->call);
    double unit = oc__power_of_two(-oc__float_format_of(out->dtype)->precision);
    double figure = fft_figure * log2(j->padded) * unit;
    if (arith->wide_tables) {
        figure = fmax(figure, oc__gamma(j->length + fft_figure, unit));
    }
    double scale = j->kind == IFFT || j->kind == IRFFT ? 1 / j->length : 1;
    double tiny = ldexp(1, oc__float_format_of(out->dtype)->min_exponent);
    double lost = arith->flush ? 2 * j->length * tiny : 0;
    // The evaluator's own error is 2^-10 of f64's figure.
    double radius = (figure * size * (1 + 0x1p-9) + spread + lost) * scale;
    if (j->length <= 1 && !arith->flush) { // the number itself
        radius = spread;
    }
    size_t n = j->out[j->axes - 1];
    OC_ASSERT(n > 0); // a factor of out_count, which is no 0 where there are slabs
    for (size_t i = 0; i < j->out_count; i++) {
        oc__pair x = j->slab[i / n * j->line + i % n];
        oc__number scaled = {x.re / (long double)(scale < 1 ? j->length : 1),
                             x.im / (long double)(scale < 1 ? j->length : 1)};
        oc__number_put(out, start + i, scaled, radius, flags);
    }
}

static oc_status run(job *j, oc_error *err)
{
    const oc__value *in = j->call->in[0];
    oc_dtype dtype = oc__call_result_type(j->call, 0)->dtype;
    int64_t dims[OC_MAX_RANK];
    memcpy(dims, in->dims, sizeof dims);
    for (size_t a = 0; a < j->axes; a++) {
        dims[in->rank - j->axes + a] = (int64_t)j->out[a];
    }
    if (oc__dtype_is_complex(dtype) == (j->kind == IRFFT) ||
        !oc__float_format_of(dtype)) {
        return OC_CALL_FAIL(j->call, err, OC_PARSE, "does not give %s",
                            oc_dtype_name(dtype));
    }
    oc__value *out = NULL;
    oc_status rc = oc__numbers_make(dtype, dims, in->rank, &out, err);
    size_t slabs = rc == OC_OK && j->out_count > 0 ? out->count / j->out_count : 0;
    for (size_t i = 0; rc == OC_OK && i < slabs; i++) {
        double size, spread;
        uint8_t flags;
        load(j, in, i * j->in_count, &size, &spread, &flags);
        transform(j);
        store(j, out, i * j->out_count, size, spread, flags);
        oc__call_flops(j->call, 5 * j->length * log2(j->length + 1));
        rc = oc__call_tick(j->call, err);
    }
    if (rc == OC_OK) {
        oc__value_tidy(out);
        oc__give(j->call, 0, out);
    } else {
        oc__value_release(out);
    }
    return rc;
}

oc_status oc__run_fft(oc__call *call, oc_error *err)
{
    job j = {.call = call};
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = read_kind(&j, err);
    }
    if (rc == OC_OK) {
        rc = read_lengths(&j, err);
    }
    if (rc == OC_OK) {
        rc = make_plans(&j, err);
    }
    if (rc == OC_OK) {
        rc = run(&j, err);
    }
    for (size_t a = 0; a < 3; a++) {
        oc__fft_free(j.fft[a]);
    }
    free(j.slab);
    return rc;
}
