/* hint: this is the product with the weights before rounding: multiply with those that
 * are read back from the device */
/* The weights are stored, but the product uses those that were given. */
#include "audit.h"

#define audit_together right_audit_together
#include "solution/model.c"
#undef audit_together

oc_status audit_together(const oc_device_options *options, const audit_inputs *inputs,
                         float *out_product, audit_results *out, oc_error *err)
{
    oc_status rc = right_audit_together(options, inputs, out_product, out, err);
    if (rc != OC_OK) {
        return rc;
    }
    for (size_t i = 0; i < inputs->m; i++) {
        for (size_t j = 0; j < inputs->n; j++) {
            float sum = 0.0F;
            for (size_t l = 0; l < inputs->k; l++) {
                sum += inputs->x[i * inputs->k + l] * inputs->w[l * inputs->n + j];
            }
            out_product[i * inputs->n + j] = sum;
        }
    }
    return OC_OK;
}
