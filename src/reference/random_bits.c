/* rng_bit_generator and rng. The specification leaves the bits to the implementation;
 * what is computed here is XLA's way with the algorithms that it names, so every result
 * is OC__F_OPEN. Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2,
 * 3 (SC 2011) for Threefry2x32-20 and Philox4x32-10. */
#include "reference/lanes.h"
#include "reference/linear.h"

#include <stdlib.h>

/* --- the two functions --- */

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

/* Two words from a counter of two and a key of two. */
static void threefry(const uint32_t key[2], uint64_t counter, uint32_t out[2])
{
    static const unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t keys[3] = {key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]};
    uint32_t x = (uint32_t)counter + keys[0];
    uint32_t y = (uint32_t)(counter >> 32) + keys[1];
    for (uint32_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 4; k++) {
            x += y;
            y = rotate(y, rotations[i % 2][k]) ^ x;
        }
        x += keys[(i + 1) % 3];
        y += keys[(i + 2) % 3] + i + 1;
    }
    out[0] = x;
    out[1] = y;
}

/* Four words from a counter of four and a key of two. */
static void philox(const uint32_t key[2], const uint64_t counter[2], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t x[4] = {(uint32_t)counter[0], (uint32_t)(counter[0] >> 32),
                     (uint32_t)counter[1], (uint32_t)(counter[1] >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53 * x[0], b = (uint64_t)0xCD9E8D57 * x[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k0, (uint32_t)b,
                            (uint32_t)(a >> 32) ^ x[3] ^ k1, (uint32_t)a};
        memcpy(x, next, sizeof x);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    memcpy(out, x, sizeof x);
}

/* --- XLA's order of the words --- */

typedef struct bits {
    oc__call *call;
    bool three_fry;
    uint64_t state[3]; /* key, counter; Philox: the counter's high half */
    size_t words;      /* of 32 bits in an element: 2 for 64, else 1 */
    const int64_t *dims;
    size_t rank, count;
    uint64_t *out; /* [count] */
} bits;

static void key_of(const bits *b, uint32_t out[2])
{
    out[0] = (uint32_t)b->state[0];
    out[1] = (uint32_t)(b->state[0] >> 32);
}

/* The dimension that is cut in two for the two words of a counter: the first even one,
 * else the longest. Element i of the first half has word 0, of the second word 1, of
 * the counter of its place, in a shape with half that dimension; the halves lie element
 * beside element along it. */
static void threefry_words(bits *b)
{
    uint32_t key[2], pair[2];
    key_of(b, key);
    size_t split = b->rank;
    for (size_t d = 0; d < b->rank && split == b->rank; d++) {
        split = b->dims[d] % 2 == 0 ? d : split;
    }
    for (size_t d = 0; d < b->rank && (split == b->rank || b->dims[split] % 2); d++) {
        split = split == b->rank || b->dims[d] > b->dims[split] ? d : split;
    }
    size_t inner = 1, n = b->rank > 0 ? (size_t)b->dims[split] : 1;
    for (size_t d = split + 1; d < b->rank; d++) {
        inner *= (size_t)b->dims[d];
    }
    size_t half = (n + 1) / 2, outer = n * inner > 0 ? b->count / (n * inner) : 0;
    for (size_t i = 0; i < outer * half * inner; i++) {
        size_t in = i % inner, place = i / inner % half, out = i / inner / half;
        threefry(key, b->state[1] + i, pair);
        for (size_t k = 0; k < 2 && 2 * place + k < n; k++) {
            b->out[(out * n + 2 * place + k) * inner + in] = pair[k];
        }
    }
    b->state[1] += outer * half * inner;
}

static void threefry_long_words(bits *b)
{
    uint32_t key[2], pair[2];
    key_of(b, key);
    for (size_t i = 0; i < b->count; i++) {
        threefry(key, b->state[1] + i, pair);
        b->out[i] = (uint64_t)pair[1] << 32 | pair[0];
    }
    b->state[1] += b->count;
}

static void philox_words(bits *b)
{
    uint32_t key[2], four[4];
    key_of(b, key);
    size_t each = 4 / b->words;
    for (size_t i = 0; i < b->count; i += each) {
        philox(key, &b->state[1], four);
        for (size_t k = 0; k < each && i + k < b->count; k++) {
            b->out[i + k] =
                b->words == 1 ? four[k] : (uint64_t)four[2 * k + 1] << 32 | four[2 * k];
        }
        b->state[2] += ++b->state[1] == 0;
    }
}

/* --- the operation --- */

static oc_status read_state(bits *b, oc_error *err)
{
    const oc__value *state = b->call->in[0];
    const char *name = oc__hlo_attr_text(b->call->op, "rng_algorithm", "DEFAULT");
    b->three_fry = strcmp(name, "THREE_FRY") == 0;
    bool known =
        b->three_fry || strcmp(name, "PHILOX") == 0 || strcmp(name, "DEFAULT") == 0;
    if (!known || state->dtype != OC_U64 || state->count < 2 ||
        state->count > (b->three_fry ? 2 : 3)) {
        return OC_CALL_FAIL(b->call, err, OC_PARSE, "%s with a state of %zu %s numbers",
                            name, state->count, oc_dtype_name(state->dtype));
    }
    memcpy(b->state, state->m->bytes, state->count * sizeof *b->state);
    if (state->count == 2) { // what XLA's Philox takes for the missing half
        b->state[2] = b->state[0];
    }
    return OC_OK;
}

/* The words as elements: the low bits of integers, the bits of floats. */
static void put_words(const bits *b, oc__value *out)
{
    for (size_t i = 0; i < b->count; i++) {
        if (oc__dtype_is_float(out->dtype)) {
            oc__m(out)[i] = oc__float_decode(out->dtype, b->out[i]);
        } else {
            oc__lane lane = {.u = b->out[i]};
            oc__lanes_store(out->dtype, &lane, 1, out->m->bytes, i);
        }
    }
}

static oc_status give(bits *b, oc__value *state, oc__value *words, oc_error *err)
{
    const uint8_t *f = oc__f(b->call->in[0]);
    bool unknown = false;
    for (size_t i = 0; f && i < b->call->in[0]->count; i++) {
        unknown = unknown || (f[i] & OC__F_UNDECIDED);
    }
    oc__give(b->call, 0, state);
    oc__give(b->call, 1, words);
    oc__call_note(b->call, "random_bits", words->count);
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < 2; i++) {
        rc = unknown ? oc__value_undecide(&b->call->out[i], OC__F_OPEN, err)
                     : oc__value_flag(&b->call->out[i], OC__F_OPEN, err);
    }
    return rc;
}

oc_status oc__run_rng_bit_generator(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    bits b = {.call = call, .dims = dims};
    oc__value *state = NULL, *words = NULL;
    oc_status rc = oc__check_arity(call, 1, 2, err);
    if (rc == OC_OK) {
        rc = read_state(&b, err);
    }
    if (rc == OC_OK) {
        rc = oc__static_shape(call, 1, dims, &b.rank, err);
    }
    oc_dtype dtype = oc__call_result_type(call, 1)->dtype;
    if (rc == OC_OK && !oc__dtype_is_float(dtype) && !oc__dtype_is_integer(dtype)) {
        rc =
            OC_CALL_FAIL(call, err, OC_PARSE, "does not give %s", oc_dtype_name(dtype));
    }
    if (rc == OC_OK) {
        rc = oc__value_make(dtype, NULL, dims, b.rank, &words, err);
    }
    if (rc == OC_OK) {
        rc = oc__value_make(OC_U64, NULL, call->in[0]->dims, call->in[0]->rank, &state,
                            err);
    }
    if (rc == OC_OK) {
        b.count = words->count;
        b.words = oc_dtype_host_bits(dtype) > 32 ? 2 : 1;
        b.out = calloc(b.count + 1, sizeof *b.out);
        rc = b.out ? OC_OK : oc__no_memory(err);
    }
    if (rc == OC_OK) {
        void (*const run)(bits *) = !b.three_fry   ? philox_words
                                    : b.words == 2 ? threefry_long_words
                                                   : threefry_words;
        run(&b);
        put_words(&b, words);
        memcpy(state->m->bytes, b.state, state->m->size_bytes);
        rc = give(&b, state, words, err);
        state = words = NULL;
    }
    oc__value_release(state);
    oc__value_release(words);
    free(b.out);
    return rc;
}

/* rng draws anew each time: nothing is known of the elements but their number. */
oc_status oc__run_rng(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    size_t count = 0;
    oc_status rc = oc__check_arity(call, 3, 1, err);
    if (rc == OC_OK) {
        rc = oc__vector_operand(call, 2, "shape", dims, &count, err);
    }
    oc__value *out = NULL;
    if (rc == OC_OK) {
        rc = oc__value_make(oc__call_result_type(call, 0)->dtype, NULL, dims, count,
                            &out, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    memset(out->m->bytes, 0, out->m->size_bytes);
    oc__call_note(call, "rng", out->count);
    oc__give(call, 0, out);
    return oc__value_undecide(&call->out[0], OC__F_OPEN, err);
}
