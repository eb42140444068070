/* Stage 1: the backend, the devices, storage as BF16 and the product. */
#ifndef AUDIT_TESTS_STAGE_DTYPE_H
#define AUDIT_TESTS_STAGE_DTYPE_H

#include "protocol.h"
#include "rounding.h"

enum { MAX_LISTED = 16, WEIGHTS = 20 };

static void check_backend(void)
{
    static const char function[] = "audit_backend";
    const char *name = oc_device_platform(device)->platform_name;
    size_t size = strlen(name) + 1;
    block fits = block_make(size);
    char *out = fits.data;
    calling(function);
    expect_ok(function, audit_backend(device, out, size),
              "still to be written: the backend's name as the runtime reports it");
    if (memchr(out, '\0', size) == NULL) {
        fail(function, say("\"%s\" and its NUL", name),
             say("%zu bytes without a NUL", size), "the name must end with a NUL");
    }
    if (strcmp(out, name) != 0) {
        fail(function, say("\"%s\"", name), say("\"%s\"", out),
             "the name is not the one that the runtime reports: nothing may be cut off "
             "or added");
    }
    block_free(&fits, function);
    block narrow = block_make(size - 1);
    oc_status rc = audit_backend(device, narrow.data, size - 1);
    if (rc != OC_LIMIT) {
        fail(function,
             say("OC_LIMIT for %zu bytes: \"%s\" has no room", size - 1, name),
             say("%s", status_word(rc)),
             "the NUL needs a byte too: a name that does not fit is refused, not cut");
    }
    if (!is_untouched(narrow.data, size - 1)) {
        fail(function, say("an untouched output after OC_LIMIT"), say("it was written"),
             "a function that refuses leaves its outputs as they were");
    }
    block_free(&narrow, function);
}

static void check_names_within(size_t capacity)
{
    static const char function[] = "audit_device_names";
    static const char nothing[] = "(not written)";
    const oc_platform_info *platform = oc_device_platform(device);
    block lent = block_make(capacity * sizeof(const char *));
    const char **names = lent.data;
    for (size_t i = 0; i < capacity; i++) {
        names[i] = nothing;
    }
    calling(function);
    size_t count = audit_device_names(device, names, capacity);
    if (count != platform->device_count) {
        fail(function,
             say("%zu, the runtime's device count (capacity %zu)",
                 platform->device_count, capacity),
             say("%zu", count),
             count == 0 ? "still to be written: the devices that the runtime lists"
             : count == capacity ? "the answer is how many devices there are, not how "
                                   "many names fitted"
                                 : "the length of the list is not the runtime's device "
                                   "count");
    }
    for (size_t i = 0; i < capacity; i++) {
        const char *wanted = i < count ? platform->devices[i].string : nothing;
        if (names[i] != wanted) {
            fail(function, say("name %zu: %s", i, wanted),
                 say("%s", names[i] == NULL ? "NULL" : names[i]),
                 i < count
                     ? "the names are the runtime's own device strings in its order"
                     : "there is no such device: leave the rest of the list alone");
        }
    }
    block_free(&lent, function);
}

/* Between 0.5 and 4 in size, so that each rounded weight is a multiple of 2^-8; ties
 * are among them. */
static void make_weights(float out[WEIGHTS])
{
    static const uint32_t ties[] = {0x3f808000, 0x3f818000, 0xbf828000, 0xc0438000};
    for (size_t i = 0; i < WEIGHTS; i++) {
        float size = 0.5F + (float)((i * 1237) % 3500) / 1000.0F;
        out[i] = i < 4 ? float_of(ties[i]) : i % 3 == 0 ? -size : size;
    }
}

/* Whole numbers up to 15 in size. With such weights every sum is a multiple of 2^-8 and
 * less than 2^11, so 19 bits hold it. */
static float small_number(size_t index)
{
    return (float)((int)(index * 7 % 31) - 15);
}

static oc_device_output get_stored(int64_t buffer)
{
    oc_error err = {0};
    oc_device_output output = {0};
    if (oc_device_get(device, buffer, &output, &err) != OC_OK) {
        fail("audit_store_bf16", say("a buffer that can be read back"),
             say("%s", err.text), "*out_buffer names no buffer of this device");
    }
    return output;
}

/* Takes the stored bits out of what was read back. */
static void check_stored(const oc_device_output *output, const float *w, int64_t rows,
                         int64_t columns, uint16_t *out_bits)
{
    static const char function[] = "audit_store_bf16";
    const oc_tensor *tensor = &output->tensor;
    const char *owner = oc_device_platform(device)->devices[0].string;
    size_t count = (size_t)(rows * columns);
    if (tensor->dtype != OC_BF16) {
        fail(function, say("element type bfloat16"),
             say("%s, %zu bits an element", oc_dtype_name(tensor->dtype),
                 oc_dtype_host_bits(tensor->dtype)),
             tensor->dtype == OC_F32
                 ? "the weights were stored as float32, 4 bytes an element"
             : tensor->dtype == OC_F16
                 ? "float16 is another 16-bit format: 5 bits of exponent, not 8"
             : tensor->dtype == OC_U16
                 ? "the bits alone are no BF16: the array's element type must say so"
                 : "");
    }
    if (tensor->rank != 2 || tensor->dims[0] != rows || tensor->dims[1] != columns) {
        fail(function, say("rank 2, %d rows of %d", (int)rows, (int)columns),
             say("rank %zu, first dimensions %lld and %lld", tensor->rank,
                 (long long)tensor->dims[0], (long long)tensor->dims[1]),
             "the array has the shape rows x columns");
    }
    if (tensor->size_bytes != 2 * count) {
        fail(function, say("%zu bytes, 2 an element", 2 * count),
             say("%zu", tensor->size_bytes), "");
    }
    if (strcmp(output->device, owner) != 0) {
        fail(function, say("on %s", owner), say("on %s", output->device),
             "the array belongs on addressable device 0");
    }
    memcpy(out_bits, tensor->data, tensor->size_bytes);
    for (size_t i = 0; i < count; i++) {
        if (!is_right_bf16(bits_of(w[i]), out_bits[i])) {
            fail(function,
                 say("element %zu: 0x%04x for %.9g", i, nearest_bf16(bits_of(w[i])),
                     (double)w[i]),
                 say("0x%04x", out_bits[i]), rounding_hint(bits_of(w[i]), out_bits[i]));
        }
    }
}

static void check_store(const float *w, int64_t rows, int64_t columns,
                        uint16_t *out_bits)
{
    static const char function[] = "audit_store_bf16";
    block weights = block_copy(w, (size_t)(rows * columns) * sizeof *w);
    block lent = block_make(sizeof(int64_t));
    oc_error err = {0};
    calling(function);
    oc_status rc =
        audit_store_bf16(device, weights.data, rows, columns, lent.data, &err);
    if (rc != OC_OK && err.status != OC_OK) {
        fail(function, say("OC_OK"), say("%s: %s", status_word(rc), err.text), "");
    }
    expect_ok(function, rc, "still to be written: a BF16 array on device 0");
    if (is_untouched(lent.data, sizeof(int64_t))) {
        fail(function, say("a buffer in *out_buffer"), say("nothing was written"), "");
    }
    int64_t buffer;
    memcpy(&buffer, lent.data, sizeof buffer);
    oc_device_output output = get_stored(buffer);
    check_stored(&output, w, rows, columns, out_bits);
    oc_device_output_free(&output);
    block_free(&lent, function);
    lent = block_make(sizeof(int64_t));
    rc = audit_store_bf16(device, weights.data, -1, columns, lent.data, NULL);
    if (rc != OC_INVALID_ARGUMENT || !is_untouched(lent.data, sizeof(int64_t))) {
        fail(
            function, say("OC_INVALID_ARGUMENT for -1 rows, *out_buffer untouched"),
            say("%s%s", status_word(rc),
                is_untouched(lent.data, sizeof(int64_t)) ? "" : ", and it was written"),
            "the numbers of rows and columns must be looked at first");
    }
    block_free(&lent, function);
    block_free(&weights, function);
}

/* Exact in double, and by the choice of the numbers in float too. */
static float exact_product(const float *x, const uint16_t *w, size_t k, size_t i,
                           size_t row_step, size_t first)
{
    double sum = 0.0;
    for (size_t l = 0; l < k; l++) {
        sum += (double)x[i * k + l] *
               (double)float_of((uint32_t)w[first + l * row_step] << 16);
    }
    return (float)sum;
}

static const char *product_hint(float got, float right, float transposed)
{
    if (is_untouched(&got, sizeof got)) {
        return "out holds what it held before: write every element, do not add to it "
               "(still to be written?)";
    }
    if (got == float_of((uint32_t)nearest_bf16(bits_of(right)) << 16)) {
        return "the result was rounded to BF16: only the weights are, the sum stays "
               "float32";
    }
    return got == transposed
               ? "w was read by columns: element (l, j) stands at w[l * n + j]"
               : "each weight is converted back to float32 before it is multiplied";
}

static void check_product(const float *out, const float *x, const uint16_t *w, size_t m,
                          size_t k, size_t n, const char *function)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            float right = exact_product(x, w, k, i, n, j);
            float got = out[i * n + j];
            if (bits_of(got) != bits_of(right)) {
                fail(function,
                     say("element (%zu, %zu) of %zu x %zu x %zu: %.9g", i, j, m, k, n,
                         (double)right),
                     say("%.9g", (double)got),
                     product_hint(got, right, exact_product(x, w, k, i, 1, j * k)));
            }
        }
    }
}

static void check_matmul(const uint16_t *w, size_t m, size_t k, size_t n)
{
    static const char function[] = "audit_matmul";
    block x = block_make(m * k * sizeof(float));
    block weights = block_copy(w, k * n * sizeof *w);
    block out = block_make(m * n * sizeof(float));
    float *numbers = x.data;
    for (size_t i = 0; i < m * k; i++) {
        numbers[i] = small_number(i);
    }
    calling(function);
    audit_matmul(numbers, weights.data, m, k, n, out.data);
    check_product(out.data, numbers, w, m, k, n, function);
    block_free(&x, function);
    block_free(&weights, function);
    block_free(&out, function);
}

static void stage_dtype(void)
{
    float w[WEIGHTS];
    uint16_t stored[WEIGHTS];
    make_weights(w);
    check_backend();
    check_names_within(MAX_LISTED);
    check_names_within(1);
    check_rounding();
    check_widening();
    check_store(w, 4, 5, stored);
    check_matmul(stored, 3, 4, 5);
    check_store(w, WEIGHTS, 1, stored);
    check_matmul(stored, 1, WEIGHTS, 1);
    check_matmul(stored, 2, 2, 7);
}

#endif
