#include "reference/fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prime factors up to here are transformed by their definition, larger ones by
 * Bluestein's chirp (Bluestein 1970), a convolution of a power of two. */
enum { DIRECT = 64 };
static const size_t max_length = (size_t)1 << 40;

struct oc__fft {
    size_t n;
    bool inverse;
    oc__pair *roots;             /* [n]: e^(-+2 pi i k / n) */
    oc__pair *in, *out, *column; /* [n] */
    /* For a prime factor above DIRECT, the only one that is left when n was divided by
     * the others: */
    size_t prime, chirp_length;
    oc__pair *chirp;     /* [prime]: e^(-+pi i k^2 / prime) */
    oc__pair *spectrum;  /* [chirp_length]: of the conjugate chirp, both ways round */
    oc__pair *convolved; /* [chirp_length] */
    oc__fft *forward, *backward;
};

static oc__pair times(oc__pair a, oc__pair b)
{
    return (oc__pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static oc__pair plus(oc__pair a, oc__pair b)
{
    return (oc__pair){a.re + b.re, a.im + b.im};
}

/* e^(2 pi i k / n), the angle brought into the first octant so that quarter turns and
 * halves come out exact. */
static oc__pair root_of_unity(size_t k, size_t n)
{
    const long double two_pi = 6.283185307179586476925286766559005768L;
    size_t eighths = 8 * k / n; // k < n <= 2^40
    size_t quarter = (eighths + 1) / 2;
    // 4 k / n - quarter, in (-1/2, 1/2], with an exact numerator.
    long double rest = (long double)(int64_t)(4 * k - quarter * n) / (long double)n;
    long double angle = two_pi / 4 * rest;
    long double c = cosl(angle), s = sinl(angle);
    switch (quarter % 4) {
    case 0: return (oc__pair){c, s};
    case 1: return (oc__pair){-s, c};
    case 2: return (oc__pair){-c, -s};
    default: return (oc__pair){s, -c};
    }
}

static oc__pair turned(oc__pair x, bool conjugate)
{
    return (oc__pair){x.re, conjugate ? -x.im : x.im};
}

static size_t smallest_factor(size_t n)
{
    for (size_t p = 2; p <= n / p; p++) {
        if (n % p == 0) {
            return p;
        }
    }
    return n;
}

static size_t largest_factor(size_t n)
{
    size_t p = 1;
    while (n > 1) {
        p = smallest_factor(n);
        n /= p;
    }
    return p;
}

double oc__fft_padded(size_t n)
{
    return largest_factor(n) > 13 ? 4 * (double)n : (double)n;
}

/* --- making --- */

static bool make_chirp(oc__fft *fft, size_t p)
{
    fft->prime = p;
    fft->chirp_length = 1;
    while (fft->chirp_length < 2 * p - 1) {
        fft->chirp_length *= 2;
    }
    size_t m = fft->chirp_length;
    fft->chirp = calloc(p, sizeof(oc__pair));
    fft->spectrum = calloc(m, sizeof(oc__pair));
    fft->convolved = calloc(m, sizeof(oc__pair));
    fft->forward = oc__fft_make(m, false);
    fft->backward = oc__fft_make(m, true);
    if (!fft->chirp || !fft->spectrum || !fft->convolved || !fft->forward ||
        !fft->backward) {
        return false;
    }
    size_t square = 0; // k^2 mod 2 p, since e^(pi i k^2 / p) repeats with it
    for (size_t k = 0; k < p; k++) {
        oc__pair w = root_of_unity(square, 2 * p);
        fft->chirp[k] = turned(w, !fft->inverse);
        oc__pair opposite = turned(w, fft->inverse);
        fft->spectrum[k] = opposite;
        if (k > 0) {
            fft->spectrum[m - k] = opposite;
        }
        square = (square + 2 * k + 1) % (2 * p);
    }
    oc__fft_run(fft->forward, fft->spectrum, 1);
    return true;
}

oc__fft *oc__fft_make(size_t n, bool inverse)
{
    if (n < 1 || n > max_length) {
        return NULL;
    }
    oc__fft *fft = calloc(1, sizeof *fft);
    if (!fft) {
        return NULL;
    }
    fft->n = n;
    fft->inverse = inverse;
    fft->roots = calloc(n, sizeof(oc__pair));
    fft->in = calloc(n, sizeof(oc__pair));
    fft->out = calloc(n, sizeof(oc__pair));
    fft->column = calloc(n, sizeof(oc__pair));
    bool good = fft->roots && fft->in && fft->out && fft->column;
    for (size_t k = 0; good && k < n; k++) {
        fft->roots[k] = turned(root_of_unity(k, n), !inverse);
    }
    size_t p = largest_factor(n);
    if (good && p > DIRECT) {
        good = make_chirp(fft, p);
    }
    if (!good) {
        oc__fft_free(fft);
        return NULL;
    }
    return fft;
}

void oc__fft_free(oc__fft *fft)
{
    if (!fft) {
        return;
    }
    oc__fft_free(fft->forward);
    oc__fft_free(fft->backward);
    free(fft->roots);
    free(fft->in);
    free(fft->out);
    free(fft->column);
    free(fft->chirp);
    free(fft->spectrum);
    free(fft->convolved);
    free(fft);
}

/* --- running --- */

/* A prime length above DIRECT: X_k = w_k sum_j (x_j w_j) conj(w_(k-j)). */
static void run_chirp(oc__fft *fft, const oc__pair *from, size_t stride, oc__pair *to)
{
    size_t p = fft->prime, m = fft->chirp_length;
    memset(fft->convolved, 0, m * sizeof(oc__pair));
    for (size_t j = 0; j < p; j++) {
        fft->convolved[j] = times(from[j * stride], fft->chirp[j]);
    }
    oc__fft_run(fft->forward, fft->convolved, 1);
    for (size_t j = 0; j < m; j++) {
        fft->convolved[j] = times(fft->convolved[j], fft->spectrum[j]);
    }
    oc__fft_run(fft->backward, fft->convolved, 1);
    for (size_t k = 0; k < p; k++) {
        oc__pair x = times(fft->convolved[k], fft->chirp[k]);
        to[k] = (oc__pair){x.re / (long double)m, x.im / (long double)m};
    }
}

/* Length n, a divisor of fft->n, of numbers `stride` apart, into `to` (Cooley and
 * Tukey, decimation in time: p transforms of n / p, then n / p transforms of p). */
static void run_length(oc__fft *fft, const oc__pair *from, size_t stride, size_t n,
                       oc__pair *to)
{
    if (n == 1) {
        *to = *from;
        return;
    }
    size_t p = smallest_factor(n), q = n / p, turn = fft->n / n;
    if (p > DIRECT && q == 1) { // the largest factor is the last one that is left
        run_chirp(fft, from, stride, to);
        return;
    }
    for (size_t r = 0; r < p; r++) {
        run_length(fft, from + r * stride, stride * p, q, to + r * q);
    }
    for (size_t k = 0; k < q && p == 2; k++) { // most lengths are powers of two
        oc__pair even = to[k], odd = times(to[q + k], fft->roots[k * turn]);
        to[k] = plus(even, odd);
        to[q + k] = (oc__pair){even.re - odd.re, even.im - odd.im};
    }
    for (size_t k = 0; k < q && p > 2; k++) {
        for (size_t j = 0; j < p; j++) {
            oc__pair sum = to[k];
            size_t step = k + j * q, power = 0;
            for (size_t r = 1; r < p; r++) {
                power += step;
                power = power >= n ? power - n : power;
                sum = plus(sum, times(to[r * q + k], fft->roots[power * turn]));
            }
            fft->column[j] = sum;
        }
        for (size_t j = 0; j < p; j++) {
            to[j * q + k] = fft->column[j];
        }
    }
}

void oc__fft_run(oc__fft *fft, oc__pair *x, size_t stride)
{
    OC_ASSERT(fft->n > 0);
    for (size_t i = 0; i < fft->n; i++) {
        fft->in[i] = x[i * stride];
    }
    oc__pair *out = stride == 1 ? x : fft->out;
    run_length(fft, fft->in, 1, fft->n, out);
    for (size_t i = 0; i < fft->n && stride != 1; i++) {
        x[i * stride] = out[i];
    }
}
