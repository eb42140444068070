/* hint: a function that refuses leaves its outputs as they were */
/* The output serves as the running sum, also when an index is refused. */
#include "audit.h"

#define audit_simulated_sum right_audit_simulated_sum
#include "solution/model.c"
#undef audit_simulated_sum

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    *out_sum = 0;
    return right_audit_simulated_sum(participants, count, missing, missing_count,
                                     out_sum);
}
