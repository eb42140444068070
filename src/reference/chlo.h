/* Operations of chlo that are made of others, or exact. */
#ifndef ONCHIP_REFERENCE_CHLO_H
#define ONCHIP_REFERENCE_CHLO_H

#include "reference/kernel.h"

OC_MUST_USE oc_status oc__chlo_square(oc__call *call, oc_error *err);
OC_MUST_USE oc_status oc__chlo_conj(oc__call *call, oc_error *err);
OC_MUST_USE oc_status oc__chlo_is_inf(oc__call *call, oc_error *err); /* and its kin */
OC_MUST_USE oc_status oc__chlo_constant_like(oc__call *call, oc_error *err);

/* chlo.broadcast_X: the operands broadcast as NumPy does it or along
 * broadcast_dimensions, then X. */
OC_MUST_USE oc_status oc__chlo_broadcast(oc__call *call, oc_error *err);

#define OC__CHLO_BROADCAST(name)                                                       \
    {                                                                                  \
        "chlo.broadcast_" name, oc__chlo_broadcast, NULL, false, "M",                  \
            "then the operation itself"                                                \
    }
#define OC__CHLO_BROADCASTS                                                            \
    OC__CHLO_BROADCAST("add"), OC__CHLO_BROADCAST("and"), OC__CHLO_BROADCAST("atan2"), \
        OC__CHLO_BROADCAST("compare"), OC__CHLO_BROADCAST("complex"),                  \
        OC__CHLO_BROADCAST("divide"), OC__CHLO_BROADCAST("maximum"),                   \
        OC__CHLO_BROADCAST("minimum"), OC__CHLO_BROADCAST("multiply"),                 \
        OC__CHLO_BROADCAST("next_after"), OC__CHLO_BROADCAST("or"),                    \
        OC__CHLO_BROADCAST("polygamma"), OC__CHLO_BROADCAST("power"),                  \
        OC__CHLO_BROADCAST("remainder"), OC__CHLO_BROADCAST("select"),                 \
        OC__CHLO_BROADCAST("shift_left"),                                              \
        OC__CHLO_BROADCAST("shift_right_arithmetic"),                                  \
        OC__CHLO_BROADCAST("shift_right_logical"), OC__CHLO_BROADCAST("subtract"),     \
        OC__CHLO_BROADCAST("xor"), OC__CHLO_BROADCAST("zeta")

#endif
