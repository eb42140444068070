/* Loops, branches and manual computations: control.c. */
#ifndef ONCHIP_REFERENCE_CONTROL_H
#define ONCHIP_REFERENCE_CONTROL_H

#include "reference/group.h"

oc_status oc__run_case(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                       const oc__op_plan *plan, oc_error *err);
oc_status oc__run_if(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                     const oc__op_plan *plan, oc_error *err);
oc_status oc__run_while(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                        const oc__op_plan *plan, oc_error *err);
oc_status oc__run_manual(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                         const oc__op_plan *plan, oc_error *err);

#endif
