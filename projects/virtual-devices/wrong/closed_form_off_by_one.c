/* hint: that is the sum to n */
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
    *out_sum = n * (n + 1) * (2 * n + 1) / 6;
    return OC_OK;
}
