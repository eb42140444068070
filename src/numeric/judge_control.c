#include "numeric/judge_explain.h"

#include "tensor/float_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEARCHED = 4096 }; /* elements looked at for a pair that can be swapped */

/* Whether the text says what the element is, within a finite ball. */
static bool decided(const oc__value *want, size_t element)
{
    size_t width = oc__dtype_is_complex(want->dtype) ? 2 : 1;
    bool open = want->f && (oc__f(want)[element] & (OC__F_OPEN | OC__F_UNDECIDED));
    for (size_t k = 0; want->r && k < width; k++) {
        open = open || !(oc__r(want)[element * width + k] < (double)INFINITY);
    }
    return !open;
}

enum { MAX_SIZE = 16 };

/* An element's bytes, wrong on purpose. */
typedef struct wrong {
    unsigned char bytes[MAX_SIZE];
} wrong;

static size_t element_size(const oc_tensor *tensor)
{
    return oc_dtype_host_bits(tensor->dtype) / 8;
}

static wrong element_of(const oc_tensor *tensor, size_t element)
{
    wrong w = {{0}};
    size_t size = element_size(tensor);
    memcpy(w.bytes, (const unsigned char *)tensor->data + element * size, size);
    return w;
}

/* The element surely outside its ball: four radii and four units away, another class
 * where the midpoint is not finite, the other bit for integers. */
static wrong moved_element(const oc_tensor *tensor, const oc__value *want,
                           size_t element)
{
    wrong w = element_of(tensor, element);
    if (!oc__value_has_balls(want)) {
        w.bytes[0] ^= 1;
        return w;
    }
    size_t width = oc__dtype_is_complex(want->dtype) ? 2 : 1;
    const oc__float_format *format = oc__float_format_of(want->dtype);
    double m = oc__m(want)[element * width];
    double r = want->r ? oc__r(want)[element * width] : 0.0;
    double unit =
        ldexp(fmax(fabs(m), ldexp(1.0, format->min_exponent)), 1 - format->precision);
    double moved = isfinite(m) ? m - copysign(4.0 * (r + unit), m) : 1.0;
    uint64_t bits = oc__float_encode(tensor->dtype, moved);
    memcpy(w.bytes, &bits, element_size(tensor) / width);
    return w;
}

static bool balls_apart(const oc__value *want, size_t a, size_t b)
{
    size_t size = oc__value_m_size(want);
    if (!oc__value_has_balls(want)) {
        return memcmp(want->m->bytes + a * size, want->m->bytes + b * size, size) != 0;
    }
    if (oc__dtype_is_complex(want->dtype)) {
        return false;
    }
    double ra = want->r ? oc__r(want)[a] : 0.0, rb = want->r ? oc__r(want)[b] : 0.0;
    return fabs(oc__m(want)[a] - oc__m(want)[b]) > 2.0 * (ra + rb);
}

static bool find_pair(const oc__value *want, size_t *a, size_t *b)
{
    size_t n = want->count < SEARCHED ? want->count : SEARCHED;
    for (*a = 0; *a < n && !decided(want, *a); ++*a) {
    }
    for (*b = *a + 1; *b < n; ++*b) {
        if (decided(want, *b) && balls_apart(want, *a, *b)) {
            return true;
        }
    }
    return false;
}

/* Judges the wrong element by the judge of the run. */
static void hold(oc__judged *judged, const char *name, size_t output, wrong w,
                 size_t element)
{
    oc__judgement_of_program *result = judged->result;
    oc__judge_control *control = &result->controls[result->control_count++];
    oc__outcome outcome =
        oc__ladder_element(w.bytes, result->evaluation.outputs[output], element);
    control->name = name;
    control->output = output;
    control->refuted = outcome == OC__REFUTED;
    snprintf(control->detail, sizeof control->detail,
             "output %zu, element %zu: the wrong copy is %s", output, element,
             oc__outcome_name(outcome));
}

void oc__judge_controls(oc__judged *judged)
{
    oc__judgement_of_program *result = judged->result;
    bool moved = false, swapped = false;
    for (size_t i = 0; i < result->output_count; i++) {
        const oc__value *want = result->evaluation.outputs[i];
        const oc_tensor *got = &judged->outputs[i];
        size_t a = want->count, b;
        if (!got->data) {
            continue;
        }
        while (!moved && a > 0 && !decided(want, a - 1)) {
            a--;
        }
        if (!moved && a > 0) {
            hold(judged, "element_moved", i, moved_element(got, want, a - 1), a - 1);
            moved = true;
        }
        // Exchanged with element a, element b is what a was.
        if (!swapped && find_pair(want, &a, &b)) {
            hold(judged, "elements_swapped", i, element_of(got, a), b);
            swapped = true;
        }
    }
}
