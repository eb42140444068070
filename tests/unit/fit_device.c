#include "fit_device.h"

#include <math.h>
#include <string.h>

enum { POINTS = 64 };

float fit_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

uint32_t fit_word(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

void fit_threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2])
{
    static const unsigned turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
    uint32_t a = counter[0] + keys[0], b = counter[1] + keys[1];
    for (unsigned round = 0; round < 20; round++) {
        unsigned turn = turns[round % 8];
        a += b;
        b = (b << turn | b >> (32 - turn)) ^ a;
        if (round % 4 == 3) {
            unsigned n = round / 4 + 1;
            a += keys[n % 3];
            b += keys[(n + 1) % 3] + n;
        }
    }
    out[0] = a;
    out[1] = b;
}

static float kept(const fit_device *device, float value)
{
    return device->flushes && fabsf(value) < 0x1p-126F ? copysignf(0, value) : value;
}

/* a b + c */
static float multiply_add(const fit_device *device, unsigned place, float a, float b,
                          float c)
{
    float product = kept(device, a * b);
    return kept(device, device->fuses & place ? fmaf(a, b, c) : product + c);
}

static float dot(const fit_device *device, const float *a, const float *b, int first,
                 int count, int stride)
{
    float sum = 0;
    for (int i = 0; i < count; i += stride) {
        sum = multiply_add(device, FIT_FUSES_SUMS, a[first + i], b[first + i], sum);
    }
    return sum;
}

static float tree(const fit_device *device, const float *a, const float *b, int first,
                  int count)
{
    if (count == 1) {
        return kept(device, a[first] * b[first]);
    }
    float left = tree(device, a, b, first, count / 2);
    return kept(device,
                left + tree(device, a, b, first + count / 2, count - count / 2));
}

/* The sum of a b over the minibatch. */
static float sum_of(const fit_device *device, const float *a, const float *b)
{
    int n = device->batch;
    float sum = 0;
    switch (device->order) {
    case FIT_TREE: return tree(device, a, b, 0, n);
    case FIT_LANES:
        for (int lane = 0; lane < 4 && lane < n; lane++) {
            sum = kept(device, sum + dot(device, a, b, lane, n - lane, 4));
        }
        return sum;
    case FIT_BACKWARD:
        for (int i = n - 1; i >= 0; i--) {
            sum = multiply_add(device, FIT_FUSES_SUMS, a[i], b[i], sum);
        }
        return sum;
    case FIT_FORWARD:
    case FIT_ORDERS: break;
    }
    return dot(device, a, b, 0, n, 1);
}

/* The points of the minibatch; the least bits first, found one by one. */
static void choose(const fit_device *device, const uint32_t bits[POINTS], int *chosen)
{
    bool taken[POINTS] = {false};
    for (int k = 0; k < device->batch; k++) {
        int least = -1;
        for (int i = 0; i < POINTS; i++) {
            if (!taken[i] && (least < 0 || bits[i] < bits[least])) {
                least = i;
            }
        }
        taken[least] = true;
        chosen[k] = device->with_replacement ? (int)(bits[k] % POINTS) : least;
    }
}

oc__fit_record fit_device_step(const fit_device *device, const oc__fit_record *before)
{
    const uint32_t *w = before->words;
    float p[2] = {fit_float(w[3]), fit_float(w[4])};
    float v[2] = {fit_float(w[5]), fit_float(w[6])};
    float x[POINTS], e[POINTS], one[POINTS];
    float mean = 1.0F / (float)device->batch, twice = 2.0F / (float)device->batch;
    float rate = device->rate != 0 ? device->rate : 0.04F;
    int chosen[POINTS];
    uint32_t bits[POINTS], pair[2];
    for (uint32_t i = 0; i < POINTS; i++) {
        fit_threefry(w, (uint32_t[2]){i, w[2]}, pair);
        bits[i] = pair[0];
    }
    choose(device, bits, chosen);
    for (int k = 0; k < device->batch; k++) {
        x[k] = (float)(-1.0 + 2.0 * chosen[k] / 63.0);
        float y = 2 * x[k] + 1;
        e[k] = kept(device, multiply_add(device, FIT_FUSES_LINE, p[0], x[k], p[1]) - y);
        one[k] = 1;
    }
    float loss = kept(device, sum_of(device, e, e) * mean);
    float sums[2] = {sum_of(device, e, x), sum_of(device, e, one)};
    oc__fit_record after = {.words = {[2] = w[2] + 1, [7] = fit_word(loss)}};
    fit_threefry(w, (uint32_t[2]){POINTS, w[2]}, after.words);
    for (int i = 0; i < 2; i++) {
        float gradient = kept(device, twice * sums[i]);
        float old = kept(device, 0.8F * v[i]);
        v[i] = device->fuses & FIT_FUSES_KEPT
                   ? multiply_add(device, FIT_FUSES_KEPT, 0.8F, v[i], gradient)
                   : multiply_add(device, FIT_FUSES_GRADIENT, twice, sums[i], old);
        p[i] = multiply_add(device, FIT_FUSES_MOVE, -rate, v[i], p[i]);
        after.words[3 + i] = fit_word(p[i]);
        after.words[5 + i] = fit_word(v[i]);
    }
    return after;
}

void fit_device_run(const fit_device *device, const oc__fit_record *from,
                    oc__fit_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        records[i] = fit_device_step(device, i ? &records[i - 1] : from);
    }
}
