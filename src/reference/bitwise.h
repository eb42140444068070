/* Kernels on bits that other tables or files name. */
#ifndef ONCHIP_REFERENCE_BITWISE_H
#define ONCHIP_REFERENCE_BITWISE_H

#include "reference/kernel.h"

/* and, or, xor, not, popcnt, shifts, mulhi, and power on integers. */
OC_MUST_USE oc_status oc__bitwise_run(oc__call *call, oc_error *err);

OC_MUST_USE oc_status oc__bitcast_run(oc__call *call, oc_error *err);

#endif
