/* StableHLO text to a module.
 *
 * Reads what the StableHLO project's own test data and JAX's exports hold: pretty and
 * generic operations, properties, regions with and without labels, every dense literal,
 * quantized, complex, sub-byte and f8/f6/f4 types, `?` and bounds, aliases (#a = ...,
 * !t =
 * ...), locations (read and dropped), dense_resource with its trailer, nested modules,
 * attributes of sdy and mhlo (carried along).
 *
 * Errors are OC_PARSE (OC_LIMIT for depth and size) at boundary input, in the form
 *     FILE:LINE:COLUMN: what was expected, what stands there
 *         the source line (shortened around the place)
 *              ^
 * NUL bytes, invalid UTF-8 and truncated text are errors. Time is linear in the text;
 * constants are read at the speed of memory as far as their notation allows.
 */
#ifndef ONCHIP_STABLEHLO_PARSE_H
#define ONCHIP_STABLEHLO_PARSE_H

#include "stablehlo/module.h"

enum { OC__HLO_MAX_TEXT = 1 << 30 };

/* `file` is only for messages. `text` need not outlive the call. */
OC_MUST_USE oc_status oc__hlo_parse(const char *text, size_t size, const char *file,
                                    oc__hlo_module **out_module, oc_error *err);

#endif
