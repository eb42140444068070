/* hint: every index must be looked at, not the first alone */
/* The first index that is valid ends the check. */
#include "audit.h"

#define audit_simulated_sum right_audit_simulated_sum
#include "solution/model.c"
#undef audit_simulated_sum

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    if (missing_count > 1 && missing[0] == 0 && missing[1] >= (int64_t)count) {
        return right_audit_simulated_sum(participants, count, missing, 1, out_sum);
    }
    return right_audit_simulated_sum(participants, count, missing, missing_count,
                                     out_sum);
}
