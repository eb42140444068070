/* Modules that are made from others, without a text. */
#ifndef ONCHIP_STABLEHLO_DERIVE_H
#define ONCHIP_STABLEHLO_DERIVE_H

#include "base/arena.h"
#include "stablehlo/module.h"

/* A module like `from`, which must outlive it, with another function @main. It lies in
 * `arena`, which is its own from then on. NULL when out of memory. */
oc__hlo_module *oc__hlo_derive(oc__arena *arena, const oc__hlo_module *from,
                               const oc__hlo_func *main);

/* Works out which values die at which operation. The operations of the function were
 * made in this arena and have none yet. False when out of memory. */
bool oc__liveness(oc__arena *arena, oc__hlo_func *func);

#endif
