/* hint: the product overflows before it is divided by 6 */
#define shards_closed_form right_closed_form
#include "solution/model.c"
#undef shards_closed_form

oc_status shards_closed_form(int64_t n, int64_t *out_sum, oc_error *err)
{
    if (n < 0) {
        return shards_fail(err, OC_INVALID_ARGUMENT, "a negative number of numbers");
    }
    if (n > 3024617) {
        return shards_fail(err, OC_LIMIT, "the sum does not fit in 64 bits");
    }
    uint64_t m = (uint64_t)n; /* wraps around in silence */
    *out_sum = n == 0 ? 0 : (int64_t)(m * (m - 1) * (2 * m - 1) / 6);
    return OC_OK;
}
