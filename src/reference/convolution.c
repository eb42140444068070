#include "reference/contraction.h"
#include "reference/dot_dims.h"

#include <stdlib.h>

enum { SPATIAL = OC_MAX_RANK - 2, BLOCK_TERMS = 1 << 20 };

/* A convolution is a dot of every patch of the input with every kernel (im2col). The
 * result is made with dimensions [batch, spatial..., feature] and then moved into its
 * own order. */
typedef struct conv {
    oc__call *call;
    size_t spatial_count;
    /* Dimension numbers: batch or output feature, feature, spatial... */
    size_t input[OC_MAX_RANK], kernel[OC_MAX_RANK], output[OC_MAX_RANK];
    oc__window_dim window[SPATIAL];
    int64_t reversed[SPATIAL];
    size_t feature_groups, batch_groups;
    size_t batch, in_features, out_features; /* of the result; of a kernel; of all */
    size_t positions, taps;
    int64_t *tap_places; /* [taps][spatial_count] */
} conv;

/* --- dimension numbers --- */

static oc_status read_place(oc__call *call, const oc__hlo_attr *numbers,
                            const char *name, size_t rank, size_t *out, oc_error *err)
{
    const oc__hlo_attr *entry = oc__hlo_entry(numbers, name);
    if (!entry || entry->integer < 0 || (uint64_t)entry->integer >= rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%s is no dimension of %zu", name,
                            rank);
    }
    *out = (size_t)entry->integer;
    return OC_OK;
}

static oc_status read_places(oc__call *call, const oc__hlo_attr *numbers,
                             const char *const names[3], size_t rank, size_t *out,
                             oc_error *err)
{
    const int64_t *spatial = NULL;
    size_t count = 0;
    oc_status rc = read_place(call, numbers, names[0], rank, &out[0], err);
    if (rc == OC_OK) {
        rc = read_place(call, numbers, names[1], rank, &out[1], err);
    }
    if (rc == OC_OK) {
        rc = oc__hlo_ints(oc__call_module(call), oc__hlo_entry(numbers, names[2]),
                          &spatial, &count, err);
    }
    uint32_t taken = 0;
    int64_t all[OC_MAX_RANK];
    for (size_t i = 0; rc == OC_OK && i < rank && i < count + 2; i++) {
        all[i] = i < 2 ? (int64_t)out[i] : spatial[i - 2];
        out[i] = (size_t)all[i];
    }
    if (rc == OC_OK && count + 2 != rank) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "%s: %zu for %zu dimensions", names[2],
                          count, rank);
    }
    return rc == OC_OK
               ? oc__check_dims(call, names[2], all, rank, rank, false, &taken, err)
               : rc;
}

static oc_status read_numbers(conv *c, oc_error *err)
{
    static const char *const names[3][3] = {
        {"input_batch_dimension", "input_feature_dimension",
         "input_spatial_dimensions"},
        {"kernel_output_feature_dimension", "kernel_input_feature_dimension",
         "kernel_spatial_dimensions"},
        {"output_batch_dimension", "output_feature_dimension",
         "output_spatial_dimensions"}};
    size_t rank = c->call->in[0]->rank;
    const oc__hlo_attr *numbers = oc__hlo_attr_get(c->call->op, "dimension_numbers");
    if (!numbers || rank < 2 || c->call->in[1]->rank != rank) {
        return OC_CALL_FAIL(c->call, err, OC_PARSE,
                            "needs dimension_numbers and operands of one rank, 2 or "
                            "more");
    }
    c->spatial_count = rank - 2;
    size_t *const to[3] = {c->input, c->kernel, c->output};
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < 3; i++) {
        rc = read_places(c->call, numbers, names[i], rank, to[i], err);
    }
    return rc;
}

/* --- the window --- */

static oc_status read_padding(conv *c, oc_error *err)
{
    oc__call *call = c->call;
    const int64_t *padding = NULL;
    int64_t *given = NULL;
    size_t numbers = 0;
    oc_status rc = OC_OK;
    if (call->op->operand_count == 3) { // dynamic_conv
        numbers = call->in[2]->count;
        rc = oc__index_elements(call, "padding", call->in[2], &given, err);
        padding = given;
        const uint8_t *f = oc__f(call->in[2]);
        for (size_t i = 0; rc == OC_OK && f && i < numbers; i++) {
            if (f[i] & OC__F_UNDECIDED) {
                rc = OC_CALL_FAIL(call, err, OC_INVALID_ARGUMENT,
                                  "the padding is undecided");
            }
        }
    } else {
        rc = oc__hlo_ints(oc__call_module(call), oc__hlo_attr_get(call->op, "padding"),
                          &padding, &numbers, err);
    }
    if (rc == OC_OK) {
        rc = oc__window_padding(call, padding, numbers, c->window, c->spatial_count,
                                err);
    }
    free(given);
    return rc;
}

static oc_status read_window(conv *c, oc_error *err)
{
    oc__call *call = c->call;
    size_t n = c->spatial_count;
    for (size_t d = 0; d < n; d++) {
        c->window[d] = (oc__window_dim){.base = call->in[0]->dims[c->input[2 + d]],
                                        .size = call->in[1]->dims[c->kernel[2 + d]]};
    }
    oc_status rc = oc__window_read(call, "window_strides", 1,
                                   offsetof(oc__window_dim, stride), c->window, n, err);
    if (rc == OC_OK) {
        rc =
            oc__window_read(call, "lhs_dilation", 1,
                            offsetof(oc__window_dim, base_dilation), c->window, n, err);
    }
    if (rc == OC_OK) {
        rc = oc__window_read(call, "rhs_dilation", 1,
                             offsetof(oc__window_dim, window_dilation), c->window, n,
                             err);
    }
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "window_reversal", n, true, 0, c->reversed, err);
    }
    return rc == OC_OK ? read_padding(c, err) : rc;
}

static oc_status measure(conv *c, oc_error *err)
{
    oc_status rc = OC_OK;
    c->positions = 1;
    c->taps = 1;
    for (size_t d = 0; rc == OC_OK && d < c->spatial_count; d++) {
        if (c->window[d].size == 0) { // an empty kernel: every sum is empty
            c->taps = 0;
            c->window[d].size = 1;
        }
        rc = oc__window_measure(c->call, &c->window[d], err);
        if (rc == OC_OK &&
            (!oc__size_mul(c->positions, (size_t)c->window[d].output, &c->positions) ||
             !oc__size_mul(c->taps, (size_t)c->window[d].size, &c->taps))) {
            rc = OC_CALL_FAIL(c->call, err, OC_LIMIT, "a window is too large");
        }
    }
    return rc;
}

static oc_status read_groups(conv *c, oc_error *err)
{
    const oc__value *in = c->call->in[0], *kernel = c->call->in[1];
    int64_t features = oc__hlo_attr_int(c->call->op, "feature_group_count", 1);
    int64_t batches = oc__hlo_attr_int(c->call->op, "batch_group_count", 1);
    int64_t batch = in->dims[c->input[0]], channels = in->dims[c->input[1]];
    int64_t out = kernel->dims[c->kernel[0]], each = kernel->dims[c->kernel[1]];
    if (features < 1 || batches < 1 || (features > 1 && batches > 1) ||
        channels % features != 0 || channels / features != each ||
        out % features != 0 || batch % batches != 0 || out % batches != 0) {
        return OC_CALL_FAIL(c->call, err, OC_PARSE,
                            "%lld inputs of %lld features in %lld and %lld groups do "
                            "not fit %lld kernels of %lld",
                            (long long)batch, (long long)channels, (long long)batches,
                            (long long)features, (long long)out, (long long)each);
    }
    c->feature_groups = (size_t)features;
    c->batch_groups = (size_t)batches;
    c->batch = (size_t)(batch / batches);
    c->in_features = (size_t)each;
    c->out_features = (size_t)out;
    return OC_OK;
}

static oc_status list_taps(conv *c, oc_error *err)
{
    size_t n = c->spatial_count;
    c->tap_places = calloc(c->taps * n + 1, sizeof *c->tap_places);
    if (!c->tap_places) {
        return oc__no_memory(err);
    }
    for (size_t t = 0; t < c->taps; t++) {
        size_t rest = t;
        for (size_t d = n; d-- > 0;) {
            c->tap_places[t * n + d] = (int64_t)(rest % (size_t)c->window[d].size);
            rest /= (size_t)c->window[d].size;
        }
    }
    return OC_OK;
}

/* --- patches --- */

/* The elements of the input under the window at one position, [features][taps]; -1 for
 * padding. first: the element of the image's first feature of the group. */
static void patch(const conv *c, const int64_t *strides, int64_t first, size_t position,
                  int64_t *out_index)
{
    size_t n = c->spatial_count;
    int64_t at[SPATIAL];
    for (size_t d = n; d-- > 0;) {
        at[d] = (int64_t)(position % (size_t)c->window[d].output);
        position /= (size_t)c->window[d].output;
    }
    for (size_t t = 0; t < c->taps; t++) {
        int64_t offset = 0;
        for (size_t d = 0; d < n && offset >= 0; d++) {
            int64_t element =
                oc__window_element(&c->window[d], at[d], c->tap_places[t * n + d]);
            offset = element < 0 ? -1 : offset + element * strides[c->input[2 + d]];
        }
        for (size_t i = 0; i < c->in_features; i++) {
            out_index[i * c->taps + t] =
                offset < 0 ? -1 : first + offset + (int64_t)i * strides[c->input[1]];
        }
    }
}

/* Kernels as vectors [out feature][in feature][taps], reversed where asked. */
static oc_status kernels(const conv *c, const oc__value *kernel, oc__value **out_value,
                         oc_error *err)
{
    oc__view view = {.rank = kernel->rank};
    int64_t strides[OC_MAX_RANK];
    oc__strides(kernel->dims, kernel->rank, strides);
    for (size_t k = 0; k < kernel->rank; k++) {
        size_t d = c->kernel[k];
        bool reversed = k >= 2 && c->reversed[k - 2];
        view.dims[k] = kernel->dims[d];
        view.from_strides[k] = reversed ? -strides[d] : strides[d];
        if (reversed && kernel->dims[d] > 0) {
            view.from_start += (kernel->dims[d] - 1) * strides[d];
        }
    }
    return oc__view_read(kernel, &view, out_value, err);
}

/* Some results of one group: rows are (image, position). */
static oc_status run_rows(const conv *c, oc__contraction *sums,
                          const oc__value *vectors, const oc__value *zero, size_t group,
                          size_t row, size_t rows, int64_t *index, oc_error *err)
{
    const oc__value *in = sums->lhs;
    size_t length = c->in_features * c->taps;
    int64_t strides[OC_MAX_RANK], dims[] = {(int64_t)rows, (int64_t)length};
    oc__strides(in->dims, in->rank, strides);
    size_t feature = c->feature_groups > 1 ? group * c->in_features : 0;
    size_t image = c->batch_groups > 1 ? group * c->batch : 0;
    for (size_t i = 0; i < rows; i++) {
        size_t batch = image + (row + i) / c->positions;
        int64_t first = (int64_t)batch * strides[c->input[0]] +
                        (int64_t)feature * strides[c->input[1]];
        patch(c, strides, first, (row + i) % c->positions, index + i * length);
    }
    size_t each = c->out_features / (c->feature_groups * c->batch_groups);
    oc__strip strip = {.rows = rows,
                       .b0 = group * each,
                       .columns = each,
                       .start = row * c->out_features + group * each,
                       .row_stride = c->out_features,
                       .column_stride = 1};
    oc__value *patches = NULL;
    oc_status rc = oc__value_gather(in, zero, index, dims, 2, &patches, err);
    if (rc == OC_OK) {
        rc = oc__contraction_run(sums, patches, vectors, length, &strip, 1, err);
    }
    oc__value_release(patches);
    return rc;
}

static oc_status run_groups(const conv *c, oc__contraction *sums, oc_error *err)
{
    size_t length = c->in_features * c->taps, all = c->batch * c->positions;
    size_t rows = length < BLOCK_TERMS ? BLOCK_TERMS / (length + 1) : 1;
    rows = rows < all ? rows : all;
    int64_t *index = malloc((rows * length + 1) * sizeof *index);
    oc__value *vectors = NULL, *zero = NULL;
    oc_status rc = index ? kernels(c, sums->rhs, &vectors, err) : oc__no_memory(err);
    if (rc == OC_OK) {
        rc = oc__value_make(sums->lhs->dtype, NULL, NULL, 0, &zero, err);
    }
    if (rc == OC_OK) {
        memset(zero->m->bytes, 0, zero->m->size_bytes);
    }
    size_t groups = c->feature_groups * c->batch_groups;
    for (size_t g = 0; rc == OC_OK && g < groups && length > 0; g++) {
        for (size_t row = 0; rc == OC_OK && row < all; row += rows) {
            size_t n = all - row < rows ? all - row : rows;
            rc = run_rows(c, sums, vectors, zero, g, row, n, index, err);
        }
    }
    oc__value_release(vectors);
    oc__value_release(zero);
    free(index);
    return rc;
}

/* --- the operation
 * --------------------------------------------------------------------- */

/* From [batch, spatial..., feature] to the result's own order. */
static oc_status in_order(const conv *c, oc__contraction *sums, oc_error *err)
{
    const oc__value *made = sums->out;
    oc__view view = {.rank = made->rank};
    int64_t strides[OC_MAX_RANK];
    oc__strides(made->dims, made->rank, strides);
    for (size_t k = 0; k < made->rank; k++) {
        size_t from = k == 0 ? 0 : k == 1 ? made->rank - 1 : k - 1;
        view.dims[c->output[k]] = made->dims[from];
        view.from_strides[c->output[k]] = strides[from];
    }
    oc__value *moved = NULL;
    oc_status rc = oc__view_read(made, &view, &moved, err);
    if (rc == OC_OK) {
        oc__value_release(sums->out);
        sums->out = moved;
    }
    return rc;
}

static oc_status convolve(conv *c, oc_error *err)
{
    int64_t dims[OC_MAX_RANK] = {(int64_t)c->batch};
    for (size_t d = 0; d < c->spatial_count; d++) {
        dims[1 + d] = c->window[d].output;
    }
    dims[1 + c->spatial_count] = (int64_t)c->out_features;
    bool whole = c->in_features * c->taps > 0;
    oc__contraction sums;
    oc_status rc =
        oc__contraction_make(c->call, dims, c->spatial_count + 2, whole, &sums, err);
    if (rc != OC_OK) {
        return rc;
    }
    // Winograd's and Fourier's ways to the sums round where no order of them would.
    sums.transforms = c->taps > 1;
    rc = run_groups(c, &sums, err);
    if (rc == OC_OK) {
        rc = in_order(c, &sums, err);
    }
    if (rc == OC_OK) {
        oc__contraction_give(&sums);
    }
    oc__contraction_free(&sums);
    return rc;
}

oc_status oc__run_convolution(oc__call *call, oc_error *err)
{
    conv c = {.call = call};
    bool dynamic = strcmp(call->op->name, "stablehlo.dynamic_conv") == 0;
    static oc_status (*const steps[])(conv *, oc_error *) = {
        read_numbers, read_window, measure, read_groups, list_taps, convolve};
    oc_status rc = oc__check_arity(call, dynamic ? 3 : 2, 1, err);
    for (size_t i = 0; rc == OC_OK && i < sizeof steps / sizeof *steps; i++) {
        rc = steps[i](&c, err);
    }
    free(c.tap_places);
    return rc;
}
