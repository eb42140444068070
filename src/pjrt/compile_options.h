/* The compile options that a plugin takes, as JAX 0.10 gives them for a jitted
 * function: the same fields and values, without the DebugOptions, which there are only
 * jaxlib's own defaults. */
#ifndef ONCHIP_PJRT_COMPILE_OPTIONS_H
#define ONCHIP_PJRT_COMPILE_OPTIONS_H

#include "base/error.h"
#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

typedef struct oc__compile_request {
    size_t replicas;
    size_t partitions;
    const int64_t *device_ids; /* replicas x partitions of them; replica r of partition
                                  p stands at p * replicas + r */
    size_t parameters;         /* of the program's main */
    /* "NAME=VALUE" each: XLA's debug options by name, as JAX's compiler_options. VALUE
     * is true or false, a whole number, a real number, or else text. */
    const char *const *overrides;
    size_t override_count;
} oc__compile_request;

/* Refuses what is not NAME=VALUE, and too many: before anything is loaded. */
OC_MUST_USE oc_status oc__compile_overrides_check(const char *const *overrides,
                                                  size_t count, oc_error *err);

/* Appends the serialized CompileOptionsProto to out_bytes, and the same message in
 * protobuf's text format on one line to out_text. */
OC_MUST_USE oc_status oc__compile_options(const oc__compile_request *request,
                                          oc__strbuf *out_bytes, oc__strbuf *out_text,
                                          oc_error *err);

#endif
