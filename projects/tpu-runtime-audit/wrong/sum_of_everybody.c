/* hint: the missing participants were added all the same */
/* The missing are checked and then forgotten. */
#include "audit.h"

#define audit_simulated_sum right_audit_simulated_sum
#include "solution/model.c"
#undef audit_simulated_sum

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    oc_status rc =
        right_audit_simulated_sum(participants, count, missing, missing_count, out_sum);
    return rc == OC_OK
               ? right_audit_simulated_sum(participants, count, NULL, 0, out_sum)
               : rc;
}
