/* hint: an index that is there twice is a mistake of the caller: refuse it */
/* Each missing index takes its value off, also the second time. */
#include "audit.h"

#define audit_simulated_sum right_audit_simulated_sum
#include "solution/model.c"
#undef audit_simulated_sum

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += participants[i];
    }
    for (size_t i = 0; i < missing_count; i++) {
        if (missing[i] < 0 || missing[i] >= (int64_t)count) {
            return OC_INVALID_ARGUMENT;
        }
        sum -= participants[missing[i]];
    }
    *out_sum = sum;
    return OC_OK;
}
