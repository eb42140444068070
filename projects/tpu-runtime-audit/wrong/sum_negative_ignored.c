/* hint: a negative index is no participant: refuse it */
/* Only the upper end is checked. */
#include "audit.h"

#define audit_simulated_sum right_audit_simulated_sum
#include "solution/model.c"
#undef audit_simulated_sum

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    for (size_t i = 0; i < missing_count; i++) {
        if (missing[i] < 0) {
            return right_audit_simulated_sum(participants, count, NULL, 0, out_sum);
        }
    }
    return right_audit_simulated_sum(participants, count, missing, missing_count,
                                     out_sum);
}
