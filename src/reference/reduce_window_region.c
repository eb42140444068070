#include "reference/in_order.h"
#include "reference/reduce_window.h"

#include <stdlib.h>

static oc_status read_windows(oc__call *call, const oc__value *in, oc__windows *w,
                              oc_error *err)
{
    static const struct {
        const char *name;
        size_t member;
    } attributes[] = {
        {"window_dimensions", offsetof(oc__window_dim, size)},
        {"window_strides", offsetof(oc__window_dim, stride)},
        {"base_dilations", offsetof(oc__window_dim, base_dilation)},
        {"window_dilations", offsetof(oc__window_dim, window_dilation)},
    };
    *w = (oc__windows){.rank = in->rank, .taps = 1};
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < sizeof attributes / sizeof *attributes; i++) {
        rc = oc__window_read(call, attributes[i].name, 1, attributes[i].member, w->dims,
                             w->rank, err);
    }
    const int64_t *padding = NULL;
    size_t numbers = 0;
    if (rc == OC_OK) {
        rc = oc__hlo_ints(oc__call_module(call), oc__hlo_attr_get(call->op, "padding"),
                          &padding, &numbers, err);
    }
    if (rc == OC_OK) {
        rc = oc__window_padding(call, padding, numbers, w->dims, w->rank, err);
    }
    for (size_t d = 0; rc == OC_OK && d < w->rank; d++) {
        w->dims[d].base = in->dims[d];
        rc = oc__window_measure(call, &w->dims[d], err);
        w->output[d] = w->dims[d].output;
        if (rc == OC_OK && !oc__size_mul(w->taps, (size_t)w->dims[d].size, &w->taps)) {
            rc = OC_CALL_FAIL(call, err, OC_LIMIT, "a window of too many elements");
        }
    }
    return rc;
}

/* Which element of an input lies under a tap of the window, for every result; -1 is
 * padding. */
static void elements_under(const oc__windows *w, const int64_t *taps, size_t count,
                           int64_t *out_index)
{
    int64_t at[OC_MAX_RANK] = {0};
    for (size_t i = 0; i < count; i++) {
        int64_t index = 0;
        for (size_t d = 0; d < w->rank && index >= 0; d++) {
            int64_t element = oc__window_element(&w->dims[d], at[d], taps[d]);
            index = element < 0 ? -1 : index * w->dims[d].base + element;
        }
        out_index[i] = index;
        for (size_t d = w->rank; d-- > 0 && ++at[d] == w->output[d];) {
            at[d] = 0;
        }
    }
}

/* The place of the next tap of the window, in order. */
static void next_tap(const oc__windows *w, int64_t *taps)
{
    for (size_t d = w->rank; d-- > 0 && ++taps[d] == w->dims[d].size;) {
        taps[d] = 0;
    }
}

/* The midpoints of sums and products of few terms, step by step (in_order.h), every
 * step rounded to the type: compilers accumulate windows in it (numerics 3.0 g). */
static oc_status take_steps(const oc__fold *fold, const oc__value *in,
                            const oc__value *init, const oc__windows *w, oc__value *out,
                            oc_error *err)
{
    size_t parts = fold->pairs ? 2 : 1, width = out->count * parts;
    bool sums = fold->body == OC__BODY_ADD || fold->body == OC__BODY_MULTIPLY;
    if (!fold->model.env.arith || !sums || !oc__in_order(w->taps, width)) {
        return OC_OK;
    }
    int64_t taps[OC_MAX_RANK] = {0};
    double *text = malloc((2 * width + 1) * sizeof *text), *terms = text + width;
    int64_t *index = malloc((out->count + 1) * sizeof *index);
    oc_status rc = text && index ? OC_OK : oc__no_memory(err);
    for (size_t i = 0; rc == OC_OK && i < width; i++) {
        text[i] = oc__m(init)[i % parts];
    }
    for (size_t tap = 0; rc == OC_OK && tap < w->taps; tap++) {
        elements_under(w, taps, out->count, index);
        for (size_t i = 0; i < width; i++) {
            size_t part = i % parts;
            int64_t at = index[i / parts];
            terms[i] =
                at < 0 ? oc__m(init)[part] : oc__m(in)[(size_t)at * parts + part];
        }
        oc__in_order_step(fold->dtype, fold->body, text, terms, width);
        next_tap(w, taps);
    }
    if (rc == OC_OK) {
        oc__settle_all(out, text);
    }
    free(text);
    free(index);
    return rc;
}

/* --- any body --- */

/* Tap after tap, in order. */
static oc_status window_region(oc__call *call, oc__value *const *values, size_t inputs,
                               const oc__windows *w, oc_error *err)
{
    oc__value *shape = NULL;
    int64_t taps[OC_MAX_RANK] = {0}, *index = NULL, width = 0;
    oc__value **slots = calloc(2 * inputs, sizeof(oc__value *));
    oc_status rc = slots
                       ? oc__value_make(OC_PRED, NULL, w->output, w->rank, &shape, err)
                       : oc__no_memory(err);
    if (rc == OC_OK) {
        width = (int64_t)shape->count;
        index = calloc(shape->count + 1, sizeof *index);
        rc = index ? OC_OK : oc__no_memory(err);
    }
    for (size_t i = 0; rc == OC_OK && i < inputs; i++) {
        oc__view all = {.rank = 1, .dims = {width}};
        rc = oc__view_read(values[inputs + i], &all, &slots[i], err);
    }
    for (size_t tap = 0; rc == OC_OK && width > 0 && tap < w->taps; tap++) {
        elements_under(w, taps, (size_t)width, index);
        for (size_t i = 0; rc == OC_OK && i < inputs; i++) {
            rc = oc__value_gather(values[i], values[inputs + i], index, &width, 1,
                                  &slots[inputs + i], err);
        }
        if (rc == OC_OK) {
            rc = oc__region_apply(call, slots, slots + inputs, inputs, (size_t)width,
                                  err);
        }
        for (size_t i = 0; i < inputs; i++) {
            oc__value_release(slots[inputs + i]);
            slots[inputs + i] = NULL;
        }
        next_tap(w, taps);
    }
    for (size_t i = 0; rc == OC_OK && i < inputs; i++) {
        oc__value *shaped = NULL;
        rc = oc__value_reshaped(slots[i], w->output, w->rank, &shaped, err);
        if (rc == OC_OK) {
            oc__give(call, i, shaped);
            rc = oc__widen_tree(call, &call->out[i], w->taps, err);
        }
    }
    oc__value_release(shape);
    free(index);
    oc__values_free(slots, 2 * inputs);
    return rc;
}

oc_status oc__run_reduce_window(oc__call *call, oc_error *err)
{
    size_t inputs = 0;
    oc__value **values = NULL;
    oc__windows w;
    oc_status rc = oc__reduce_operands(call, &inputs, &values, err);
    if (rc == OC_OK) {
        rc = read_windows(call, values[0], &w, err);
    }
    oc__fold fold;
    oc__body body = rc == OC_OK
                        ? oc__region_body(call->op->regions[0], values[0]->dtype)
                        : OC__BODY_OTHER;
    if (rc == OC_OK && inputs == 1 &&
        oc__fold_make(call, body, values[0], values[1], &fold)) {
        oc__value *out = NULL;
        rc = oc__window_fold(call, &fold, values[0], values[1], &w, &out, err);
        if (rc == OC_OK) {
            rc = take_steps(&fold, values[0], values[1], &w, out, err);
        }
        if (rc == OC_OK) {
            oc__value_tidy(out);
            oc__give(call, 0, out);
        } else {
            oc__value_release(out);
        }
    } else if (rc == OC_OK) {
        rc = window_region(call, values, inputs, &w, err);
    }
    oc__values_free(values, 2 * inputs);
    return rc;
}
