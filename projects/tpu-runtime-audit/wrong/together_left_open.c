/* hint: close the device on every way out, also when something fails */
/* A device is opened and kept. */
#include "audit.h"

#define audit_together right_audit_together
#include "solution/model.c"
#undef audit_together

oc_status audit_together(const oc_device_options *options, const audit_inputs *inputs,
                         float *out_product, audit_results *out, oc_error *err)
{
    static oc_device *kept;
    oc_status rc = oc_device_open(options, &kept, err);
    return rc == OC_OK ? right_audit_together(options, inputs, out_product, out, err)
                       : rc;
}
