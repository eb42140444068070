/* The pretty forms' inside: what pretty.c, pretty_table.c and pretty_*.c share.
 *
 * Most forms are a row of a table, written as StableHLO's own assemblyFormat writes
 * them (stablehlo/dialect/StablehloOps.td, ChloOps.td), words separated by single
 * blanks:
 *
 *     %            an operand
 *     %*           operands separated by commas, or none
 *     %,           operands, each with a comma behind it
 *     {}           the optional dictionary of attributes
 *     @int:NAME    a whole number: the attribute NAME of type i64 (@int32: i32)
 *     @ints:NAME   a list of them
 *     @flag:NAME   true or false
 *     @word:NAME   a bare word: an enumeration
 *     @text:NAME   a string, or a symbol taken as one
 *     @NAME        anything else: a reader of pretty.c by this name
 *     ?X ... ?     only when X is next (X is consumed)
 *     other        itself
 */
#ifndef ONCHIP_STABLEHLO_PRETTY_H
#define ONCHIP_STABLEHLO_PRETTY_H

#include "stablehlo/parser_inner.h"

/* Reads one form, or one part of a form. */
bool oc__pretty_format(oc__parser *p, oc__op_draft *op, const char *format);

/* Forms and parts of forms with a grammar of their own. */
bool oc__pretty_reduce(oc__parser *p, oc__op_draft *op);
bool oc__pretty_while(oc__parser *p, oc__op_draft *op);
bool oc__pretty_scan(oc__parser *p, oc__op_draft *op);
bool oc__pretty_body(oc__parser *p, oc__op_draft *op); /* (%a: type, ...) { ... } */
bool oc__pretty_sharding(oc__parser *p, oc__op_draft *op);
bool oc__pretty_manual(oc__parser *p, oc__op_draft *op);
bool oc__pretty_conv_dims(oc__parser *p, oc__op_draft *op);
bool oc__pretty_window(oc__parser *p, oc__op_draft *op);
bool oc__pretty_dot_dims(oc__parser *p, oc__op_draft *op);
bool oc__pretty_precision(oc__parser *p, oc__op_draft *op);
bool oc__pretty_ranges(oc__parser *p, oc__op_draft *op);
bool oc__pretty_float_format(oc__parser *p, oc__op_draft *op);

/* Numbers of another type than i64. */
const oc__hlo_attr *oc__pretty_int32(oc__parser *p, int64_t value);
const oc__hlo_attr *oc__pretty_retyped(oc__parser *p, const oc__hlo_attr *attr,
                                       oc_dtype dtype);

#endif
