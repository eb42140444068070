/* The printer's inside: what print.c and print_*.c share. */
#ifndef ONCHIP_STABLEHLO_PRINTER_H
#define ONCHIP_STABLEHLO_PRINTER_H

#include "base/strbuf.h"
#include "stablehlo/module.h"

void oc__print_text(oc__strbuf *out, const char *text);

/* "..." with MLIR's escapes. */
void oc__print_string(oc__strbuf *out, const char *bytes, size_t size);

/* @name, @"a name", @outer::@inner of "outer::inner". */
void oc__print_symbol(oc__strbuf *out, const char *bytes, size_t size);

/* The shortest decimal that reads back as these bits of this real float type, or the
 * bits in hex for infinities and NaN. MLIR's grammar: always with a point. */
void oc__print_float(oc__strbuf *out, oc_dtype dtype, uint64_t bits);

/* dense<...> : type */
void oc__print_dense(oc__strbuf *out, const oc__hlo_attr *attr);

/* a = 1 : i64, b between `before` and `after`; nothing at all when there are no
 * entries. `dialect` is the one whose enumerations the entries hold ("stablehlo"), or
 * NULL. */
void oc__print_dict(oc__strbuf *out, const oc__hlo_named *entries, size_t count,
                    const char *dialect, const char *before, const char *after);

#endif
