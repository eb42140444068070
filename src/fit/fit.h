/* The built-in job: a line fitted with momentum, one StableHLO program a step.
 *
 * Data: x_i = the f32 nearest to -1 + 2 i / 63, i = 0 .. 63, and y_i = 2 x_i + 1
 * (rounded to f32 after each operation). State: the random key (ui32[2], of a seed: 0
 * and the seed), the step (ui32), parameters (f32[2]: slope, intercept) and velocity
 * (f32[2]), all 0 at first. An update:
 *
 *     bits = Threefry-2x32 (Salmon et al. 2011, 20 rounds) of (0 .. 64, step) under the
 *            key; the 65th pair is the next key
 *     the minibatch: the `batch` points whose bits (first words) are least, of equal
 *            ones the first: without replacement
 *     e = p0 x + p1 - y; loss = sum(e^2) * (1 / batch); g = (2 / batch) (sum(e x),
 *            sum(e)), the factors rounded to f32
 *     velocity = 0.8 velocity + g; parameters = parameters - 0.04 velocity
 *
 * The program is text, so that the device compiles what `verify` reads: integer
 * operations written out (the bits of rng_bit_generator are open in the specification),
 * a stable sort, gathers, sums. It has one result more: the state and the loss as
 * ui32[OC__FIT_WORDS], so that one transfer brings the record of a step:
 *
 *     words  0-1 key, 2 step, 3-4 parameters, 5-6 velocity (bits), 7 loss (bits)
 *
 * A trajectory is the records after every step, in order: the file trajectory.bin,
 * OC__FIT_WORDS little-endian words each. The state's hash is SHA-256 of words 0-6. */
#ifndef ONCHIP_FIT_FIT_H
#define ONCHIP_FIT_FIT_H

#include "base/hash.h"
#include "onchip/tensor.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    OC__FIT_POINTS = 64,
    OC__FIT_WORDS = 8,
    OC__FIT_STATE_WORDS = 7,
    OC__FIT_RECORD_BYTES = 32,
    OC__FIT_MAX_STEPS = 10000
};

/* Rounded to f32. */
#define OC__FIT_MOMENTUM 0.8F
#define OC__FIT_RATE     0.04F

typedef struct oc__fit_record {
    uint32_t words[OC__FIT_WORDS];
} oc__fit_record;

/* The text of the update program, malloc'd; NULL when out of memory. main(x, y, key,
 * step, parameters, velocity) gives key, step, parameters, velocity and the record.
 * batch: 1 .. 64. */
char *oc__fit_program(int64_t batch);

/* x and y. */
OC_MUST_USE oc_status oc__fit_data(oc_tensor *out_x, oc_tensor *out_y, oc_error *err);
/* SHA-256 of the bytes of x, then y. */
OC_MUST_USE oc_status oc__fit_data_hash(char out_hex[OC__SHA256_HEX], oc_error *err);

/* The record before step 1; its loss is 0. */
oc__fit_record oc__fit_start(uint32_t seed);
/* From the OC__FIT_RECORD_BYTES bytes of a file. */
oc__fit_record oc__fit_read(const void *bytes);
void oc__fit_state_hash(const oc__fit_record *record, char out_hex[OC__SHA256_HEX]);
float oc__fit_loss(const oc__fit_record *record);

/* The arguments key, step, parameters, velocity of a record. */
enum { OC__FIT_STATE_TENSORS = 4 };
OC_MUST_USE oc_status oc__fit_tensors(const oc__fit_record *record,
                                      oc_tensor out_tensors[OC__FIT_STATE_TENSORS],
                                      oc_error *err);

/* --- the judge (verdict 1 of a launch) ---
 *
 * Every step is judged by itself: the reference evaluates the update on the recorded
 * state before it, and the recorded state after it must lie in its balls; keys and
 * steps are exact. So nothing grows with the number of steps, and a record that does
 * not follow from the one before (a lost momentum, a key that was used twice) is
 * refuted at its step. The first state must be oc__fit_start(seed).
 * Subnormal numbers may be zeros (an exact fit lets the velocity fade into them). Where
 * the line fits, velocity and loss are differences of what cancels: they are held
 * inside balls that are wide for their size, and narrow by what they do (fit_judge.c);
 * the detail says how wide they were.
 * Controls, which the same code must refute: "velocity_dropped" (the velocity of the
 * fastest record set to 0), "parameter_moved" and "key_reused" (the last record with
 * the key before it). A record that is refuted ends the judging; the controls are then
 * of the steps so far. */
typedef struct oc__fit_control {
    const char *name;
    bool refuted;
    char detail[160];
} oc__fit_control;

enum { OC__FIT_CONTROLS = 3 };

typedef struct oc__fit_judgement {
    oc_verdict verdict;
    const char *reason; /* static: "consistent"; "refuted", "other_start"; "not_judged",
                           "undecided", "suspect", "loose", "unevaluated",
                           "control_not_refuted" */
    const char *level;  /* "exact", "hard"; "profile": steps only hold with subnormal
                           numbers flushed to zero; else NULL */
    char detail[320];
    int64_t steps;        /* judged */
    int64_t first_wrong;  /* step that is refuted (the first is 1); -1: none */
    double largest_ratio; /* error over bound of all steps */
    oc__fit_control controls[OC__FIT_CONTROLS];
    double seconds;
} oc__fit_judgement;

/* batch: 1 .. 64. records: `count` of them, that after step 1 first. platform: whose
 * documented figures hold. OC_OK also when the verdict is FAIL; an error only when
 * memory runs out. */
OC_MUST_USE oc_status oc__fit_judge(int64_t batch, uint32_t seed,
                                    const oc__fit_record *records, size_t count,
                                    const char *platform,
                                    oc__fit_judgement *out_judgement, oc_error *err);

#endif
