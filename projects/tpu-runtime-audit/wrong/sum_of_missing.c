/* hint: this is the sum of those who are missing: add the others */
/* The sum of the missing is taken for the sum without them. */
#include "audit.h"

#define audit_simulated_sum right_audit_simulated_sum
#include "solution/model.c"
#undef audit_simulated_sum

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    int64_t all = 0;
    int64_t rest = 0;
    oc_status rc =
        right_audit_simulated_sum(participants, count, missing, missing_count, &rest);
    if (rc == OC_OK) {
        rc = right_audit_simulated_sum(participants, count, NULL, 0, &all);
    }
    if (rc == OC_OK) {
        *out_sum = missing_count == 0 ? all : all - rest;
    }
    return rc;
}
