#include "numeric/judge_explain.h"

#include "tensor/float_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Puts a value into `element` that is surely outside its ball: four radii and four
 * units away, another class where the midpoint is not finite, the other bit for
 * integers. */
static void move_element(oc_tensor *copy, const oc__value *want, size_t element)
{
    size_t size = oc_dtype_host_bits(copy->dtype) / 8;
    unsigned char *at = (unsigned char *)copy->data + element * size;
    if (!oc__value_has_balls(want)) {
        *at ^= 1;
        return;
    }
    size_t width = oc__dtype_is_complex(want->dtype) ? 2 : 1;
    const oc__float_format *format = oc__float_format_of(want->dtype);
    double m = oc__m(want)[element * width];
    double r = want->r ? oc__r(want)[element * width] : 0.0;
    double unit =
        ldexp(fmax(fabs(m), ldexp(1.0, format->min_exponent)), 1 - format->precision);
    double moved = isfinite(m) ? m - copysign(4.0 * (r + unit), m) : 1.0;
    uint64_t bits = oc__float_encode(copy->dtype, moved);
    memcpy(at, &bits, size / width);
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

static void swap_elements(oc_tensor *copy, size_t a, size_t b)
{
    size_t size = oc_dtype_host_bits(copy->dtype) / 8;
    unsigned char kept[16];
    unsigned char *at_a = (unsigned char *)copy->data + a * size;
    unsigned char *at_b = (unsigned char *)copy->data + b * size;
    memcpy(kept, at_a, size);
    memcpy(at_a, at_b, size);
    memcpy(at_b, kept, size);
}

/* Judges the wrong copy by the judge of the run. */
static oc_status hold(oc__judged *judged, const char *name, size_t output,
                      const oc_tensor *copy, size_t element, oc_error *err)
{
    oc__judgement_of_program *result = judged->result;
    oc__ladder ladder = {0};
    oc_status rc =
        oc__ladder_judge(copy, result->evaluation.outputs[output], &ladder, err);
    if (rc == OC_OK) {
        oc__judge_control *control = &result->controls[result->control_count++];
        control->name = name;
        control->output = output;
        control->refuted = ladder.outcomes[element] == OC__REFUTED;
        snprintf(control->detail, sizeof control->detail,
                 "output %zu, element %zu: the wrong copy is %s", output, element,
                 oc__outcome_name((oc__outcome)ladder.outcomes[element]));
    }
    oc__ladder_free(&ladder);
    return rc;
}

static oc_status copy_of(const oc_tensor *tensor, oc_tensor *out_copy, oc_error *err)
{
    oc_status rc =
        oc_tensor_make(tensor->dtype, tensor->dims, tensor->rank, out_copy, err);
    if (rc == OC_OK) {
        memcpy(out_copy->data, tensor->data, tensor->size_bytes);
    }
    return rc;
}

static oc_status control_move(oc__judged *judged, size_t output, size_t element,
                              oc_error *err)
{
    oc_tensor copy = {0};
    oc_status rc = copy_of(&judged->outputs[output], &copy, err);
    if (rc == OC_OK) {
        move_element(&copy, judged->result->evaluation.outputs[output], element);
        rc = hold(judged, "element_moved", output, &copy, element, err);
    }
    oc_tensor_free(&copy);
    return rc;
}

static oc_status control_swap(oc__judged *judged, size_t output, size_t a, size_t b,
                              oc_error *err)
{
    oc_tensor copy = {0};
    oc_status rc = copy_of(&judged->outputs[output], &copy, err);
    if (rc == OC_OK) {
        swap_elements(&copy, a, b);
        rc = hold(judged, "elements_swapped", output, &copy, b, err);
    }
    oc_tensor_free(&copy);
    return rc;
}

oc_status oc__judge_controls(oc__judged *judged, oc_error *err)
{
    oc__judgement_of_program *result = judged->result;
    bool moved = false, swapped = false;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < result->output_count && rc == OC_OK; i++) {
        const oc__value *want = result->evaluation.outputs[i];
        size_t a = want->count, b;
        if (!judged->outputs[i].data) {
            continue;
        }
        while (!moved && a > 0 && !decided(want, a - 1)) {
            a--;
        }
        if (!moved && a > 0) {
            rc = control_move(judged, i, a - 1, err);
            moved = true;
        }
        if (rc == OC_OK && !swapped && find_pair(want, &a, &b)) {
            rc = control_swap(judged, i, a, b, err);
            swapped = true;
        }
    }
    return rc;
}
