/* hint: no index may be cut or wrap around: compare it as int64_t */
/* The indexes are cut to 32 bits before they are checked. */
#include "audit.h"

#define audit_simulated_sum right_audit_simulated_sum
#include "solution/model.c"
#undef audit_simulated_sum

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    int64_t cut[8];
    if (missing_count > 8) {
        return OC_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < missing_count; i++) {
        cut[i] = (int)missing[i];
    }
    return right_audit_simulated_sum(participants, count, cut, missing_count, out_sum);
}
