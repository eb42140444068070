/* The learner's functions of the project tpu-runtime-audit. They are written in a file
 * of the learner's own (starter/model.c to begin with) and called by the check.
 *
 * Rules for all of them
 *     A function that returns an oc_status returns OC_OK only when it has done all that
 *     is said here; after any other status its outputs are untouched.
 *     No output holds anything useful before the call.
 *     What a function allocates or opens for itself it gives back before it returns.
 *     Nothing is kept from one call to the next. */
#ifndef AUDIT_H
#define AUDIT_H

#include <onchip/device.h>

#include <stddef.h>
#include <stdint.h>

/* ---- stage 1: the backend, its devices, and weights stored as BF16 ---- */

/* Writes the name of the backend as the runtime reports it (platform_name of
 * oc_device_platform) with its NUL into the `size` bytes at `out`. OC_LIMIT: it does
 * not fit. */
oc_status audit_backend(const oc_device *device, char *out, size_t size);

/* Writes the device strings that the runtime lists, in its order, but no more than
 * `capacity` of them, and returns how many devices the runtime has: that may be more
 * than were written. The pointers are the runtime's own; nothing is copied. */
size_t audit_device_names(const oc_device *device, const char **out_names,
                          size_t capacity);

/* The bits of the bfloat16 nearest to `value`; of two equally near the one whose last
 * bit is 0. What lies half a step or more above the largest finite bfloat16 becomes
 * infinity. Subnormal numbers, infinities and the sign of zero are kept; a NaN gives a
 * quiet NaN (bit 0x0040 set), of either sign. */
uint16_t audit_bf16_from_f32(float value);

/* The value of a bfloat16, which every float32 can hold exactly. */
float audit_f32_from_bf16(uint16_t bits);

/* Rounds rows x columns weights (row major) to BF16 and stores them as a bfloat16 array
 * of that shape, 2 bytes an element, on addressable device 0; *out_buffer names the
 * buffer. OC_INVALID_ARGUMENT: rows or columns is less than 1; else what onchip's
 * functions answer, described in `err`. */
oc_status audit_store_bf16(oc_device *device, const float *w, int64_t rows,
                           int64_t columns, int64_t *out_buffer, oc_error *err);

/* out = x w, where x is m x k, w is k x n and out is m x n, all row major. The bfloat16
 * weights are converted to float32 and multiplied and added as float32; out is not
 * rounded to BF16. The check gives numbers for which every product and every partial
 * sum is exact in float32, so that the order does not matter and the last bit must be
 * right. */
void audit_matmul(const float *x, const uint16_t *w, size_t m, size_t k, size_t n,
                  float *out);

/* ---- stage 2: simulated participants ---- */

/* Adds the values of the `count` participants, but for those whose indexes are in
 * `missing`. Indexes count from 0: in [1, 2, 3] the participant with index 1 has the
 * value 2. Either list may be empty, and then NULL. The sum fits an int64_t.
 * OC_INVALID_ARGUMENT: an index is negative, is not below `count`, or is there twice.
 */
oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum);

/* ---- stage 3: what may be claimed ---- */

/* From the weakest to the strongest. */
typedef enum audit_status {
    AUDIT_UNVERIFIED = 0, /* nothing that was run here shows it */
    AUDIT_SIMULATED,      /* plain arithmetic stood in for it */
    AUDIT_OBSERVED        /* it was run here, and this came out */
} audit_status;

/* The claims that the check asks about; the list is the check's, not the learner's. */
typedef enum audit_claim {
    AUDIT_CPU_DISCOVERY,    /* the runtime lists CPU devices */
    AUDIT_LOCAL_ARITHMETIC, /* rounding and product, on this CPU */
    AUDIT_TPU_TOPOLOGY,     /* which TPU chips there are, and how they are wired */
    AUDIT_NATIVE_BF16,      /* hardware that multiplies BF16 itself */
    AUDIT_ACCELERATOR_COLLECTIVES, /* a sum across accelerators */
    AUDIT_CLAIM_COUNT
} audit_claim;

enum { AUDIT_MAX_DEVICES = 16, AUDIT_NAME = 128, AUDIT_SCOPE = 512 };

/* All text is printable ASCII and ends with a NUL. The element types are named as
 * oc_dtype_name names them. */
typedef struct audit_description {
    char backend[AUDIT_NAME];
    size_t device_count;
    char devices[AUDIT_MAX_DEVICES]
                [AUDIT_NAME];       /* device strings; device_count of them */
    char storage_dtype[AUDIT_NAME]; /* of the stored weights */
    char operand_dtype[AUDIT_NAME]; /* in which audit_matmul multiplies */
    char result_dtype[AUDIT_NAME];  /* of its result */
    char scope[AUDIT_SCOPE]; /* a sentence: on what this was run (the word CPU is in it)
                                and what that does not show */
    audit_status claims[AUDIT_CLAIM_COUNT];
} audit_description;

/* Describes this run: no more than was observed, and no less. OC_LIMIT: more devices or
 * longer names than fit. */
oc_status audit_describe(const oc_device *device, audit_description *out);

/* ---- stage 4: all of it together ---- */

typedef struct audit_inputs {
    const float *x; /* m x k */
    const float *w; /* k x n, not yet rounded */
    size_t m;
    size_t k;
    size_t n;
    const int64_t *participants;
    size_t participant_count;
    const int64_t *missing;
    size_t missing_count;
} audit_inputs;

typedef struct audit_results {
    audit_description description;
    int64_t sum;         /* of all participants */
    int64_t sum_without; /* without the missing ones */
} audit_results;

/* Opens the device that `options` asks for, stores w on it as BF16, reads it back
 * (oc_device_get) and writes x times what was read to the m x n numbers at out_product,
 * makes both sums and the description, and closes the device, also when something
 * fails. Errors: the first one of what it calls. */
oc_status audit_together(const oc_device_options *options, const audit_inputs *inputs,
                         float *out_product, audit_results *out, oc_error *err);

#endif
