/* A device that fits the line of fit/fit.h in plain C: it conforms in several ways, or
 * is wrong in one. It shares no code with the product. */
#ifndef ONCHIP_TESTS_FIT_DEVICE_H
#define ONCHIP_TESTS_FIT_DEVICE_H

#include "fit/fit.h"

/* The order of a sum. */
typedef enum fit_order {
    FIT_FORWARD = 0,
    FIT_BACKWARD,
    FIT_TREE,  /* halves */
    FIT_LANES, /* every fourth, then the four */
    FIT_ORDERS
} fit_order;

/* Products that go unrounded into a fused multiply-add. */
enum {
    FIT_FUSES_LINE = 1,
    FIT_FUSES_SUMS = 2,
    FIT_FUSES_KEPT = 4, /* 0.8 velocity */
    FIT_FUSES_GRADIENT =
        8, /* the factor and the sum, where 0.8 velocity is not fused */
    FIT_FUSES_MOVE = 16,
    FIT_FUSES_ALL = 31
};

typedef struct fit_device {
    int batch;
    fit_order order;
    unsigned fuses;
    bool flushes;          /* subnormal numbers are zeros */
    float rate;            /* 0: that of the fit */
    bool with_replacement; /* wrong: point bits % 64, the same one perhaps twice */
} fit_device;

/* Threefry-2x32 of one counter. */
void fit_threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2]);

oc__fit_record fit_device_step(const fit_device *device, const oc__fit_record *before);
/* records[0 .. count - 1] after `from`. */
void fit_device_run(const fit_device *device, const oc__fit_record *from,
                    oc__fit_record *records, size_t count);

float fit_float(uint32_t word);
uint32_t fit_word(float value);

#endif
