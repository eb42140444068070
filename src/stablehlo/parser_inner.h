/* What the core of the parser shares beyond parser.h: scopes of values, what waits for
 * the end of the text, lists, places. */
#ifndef ONCHIP_STABLEHLO_PARSER_INNER_H
#define ONCHIP_STABLEHLO_PARSER_INNER_H

#include "stablehlo/derive.h"
#include "stablehlo/names.h"
#include "stablehlo/parser.h"

/* --- places, lists, small tokens (source.c, lexer.c) --- */

/* Line and column from 1; columns count bytes. Linear over a whole text when the places
 * come in order. */
void oc__parse_place(oc__parser *p, const char *at, size_t *out_line,
                     size_t *out_column);

/* Continues at another place of the text: for what is not read by tokens. */
bool oc__parse_jump(oc__parser *p, const char *at);

/* Behind blanks and comments. */
const char *oc__parse_blanks(const char *at, const char *end);

/* Room for one more behind `count` items: the list itself or a longer copy. Lists that
 * start as NULL and grow by one have their capacity in their count. NULL: out of
 * memory. */
void *oc__list_grow(oc__parser *p, const void *list, size_t count, size_t size);

/* A NUL-terminated copy of a piece of the text. */
const char *oc__parse_copy(oc__parser *p, const char *at, size_t size);

/* Two texts as one, NUL-terminated. */
char *oc__parse_join(oc__parser *p, const char *a, size_t a_size, const char *b,
                     size_t b_size);

/* From the next token, an opening bracket, to behind the one that closes it. */
bool oc__parse_skip_brackets(oc__parser *p);

/* The meaning of a string token: escapes resolved. */
bool oc__parse_string(oc__parser *p, const char **out_text, size_t *out_size);
/* @a::@b as "a::b", quotes resolved. */
bool oc__parse_symbol(oc__parser *p, const char **out_text, size_t *out_size);

/* --- types (types.c, types_quant.c, types_compare.c) --- */

oc__hlo_type *oc__make_type(oc__parser *p, oc__hlo_type_kind kind); /* without text */
/* !quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>; the name is consumed. */
bool oc__quant_type(oc__parser *p, const oc__hlo_type **out_type);
/* Whether the next token begins a type. */
bool oc__type_is_next(const oc__parser *p);
bool oc__type_equal(const oc__hlo_type *a, const oc__hlo_type *b);
/* Of #stablehlo.bounds<...>: INTS; NULL when there are none. */
const oc__hlo_attr *oc__type_bounds(const oc__hlo_type *type);
/* Elements of a static tensor; false when a dimension is ? or the product does not fit.
 */
bool oc__type_count(const oc__hlo_type *type, size_t *out_count);

/* --- attributes (attributes.c, attributes_lists.c) --- */

extern const oc__hlo_type oc__i64_type;

oc__hlo_attr *oc__make_attr(oc__parser *p, oc__hlo_attr_kind kind);

/* What was read since `at`, as text: an attribute that is carried along. */
bool oc__carried_attr(oc__parser *p, const char *at, const oc__hlo_attr **out_attr);

typedef bool (*oc__attr_reader)(oc__parser *p, const oc__hlo_attr **out_attr);
/* [a, b] as ARRAY */
bool oc__parse_list(oc__parser *p, oc__attr_reader item, const oc__hlo_attr **out_attr);
/* array<i64: 1, 2>, array<i1: true>, array<f32: 1.0>; `array` is consumed. */
bool oc__parse_packed_array(oc__parser *p, const oc__hlo_attr **out_attr);
/* 4, ? of #stablehlo.bounds<4, ?> */
bool oc__parse_bounds(oc__parser *p, const oc__hlo_attr **out_attr);

/* --- numbers (literal.c) --- */

/* One number as it stands in the text, sign apart: digits, hex or decimal. */
typedef struct oc__literal {
    const char *at, *end; /* of the digits */
    bool negative, is_hex, is_float;
} oc__literal;

/* Reads a number (or true, false) at `at`; NULL when none begins there. Yields where it
 * ends. */
const char *oc__literal_scan(const char *at, const char *end, oc__literal *out);

/* Bits of one element, or of a complex one's component: 1 for i1, 4 for i4. */
int oc__dtype_bits(oc_dtype dtype);
int64_t oc__sign_extend(uint64_t bits, int width);

/* An integer of this many bits, two's complement, sign-extended: false when it does not
 * fit. Signless types take -2^(bits-1) ... 2^bits - 1, as MLIR does. */
bool oc__literal_integer(const oc__literal *literal, oc_dtype dtype,
                         int64_t *out_value);

/* The bits of the number of this real float type nearest to the decimal (one rounding),
 * or those that a hex literal gives. False: a hex literal that does not fit. */
bool oc__literal_float(const oc__literal *literal, oc_dtype dtype, uint64_t *out_bits);

/* --- values (scope.c) --- */

typedef struct oc__scope {
    oc__names names; /* "%a": index into groups */
    struct oc__value_group {
        size_t first, count; /* %a:2 is one group of two values */
    } * groups;
    size_t group_count;
    const oc__hlo_type **types; /* [value] */
    const char **value_names;
    size_t value_count;
} oc__scope;

/* New values, one for each of the count types, under this name ("%a"; NULL: no name).
 */
bool oc__scope_define(oc__parser *p, const oc__token *name,
                      const oc__hlo_type *const *types, size_t count,
                      size_t *out_first);
/* What a token names: %a or %a#1. */
bool oc__scope_find(oc__parser *p, const oc__token *token, size_t *out_value);
void oc__scope_leave(oc__parser *p, size_t name_count);

/* --- drafts (drafts.c) --- */

bool oc__draft_operand(oc__parser *p, oc__op_draft *op, size_t value, const char *at);
/* The text states that this operand has this type; fails when its value has another. */
bool oc__draft_state(oc__parser *p, oc__op_draft *op, size_t index,
                     const oc__hlo_type *type, const char *at);
bool oc__draft_finish(oc__parser *p, const oc__op_draft *draft, size_t first_result,
                      oc__hlo_op **out_op);

/* --- operations, functions, modules --- */

/* One operation of a block. */
bool oc__parse_op(oc__parser *p, const oc__hlo_op **out_op);
/* "name"(%a) <{properties}> ({regions}) {attributes} : (types) -> types */
bool oc__parse_generic(oc__parser *p, oc__op_draft *op);
/* Operations up to (not including) the closing brace. */
bool oc__parse_ops(oc__parser *p, oc__hlo_block *block);
/* (%a: type, ...) of a label: defines the values. */
bool oc__parse_label(oc__parser *p, oc__hlo_block *block);

/* The attributes of a module or function in the generic form less those that its pretty
 * form writes otherwise (its name, its types). */
bool oc__own_attributes(oc__parser *p, const oc__hlo_named *entries, size_t count,
                        const oc__hlo_named **out_entries, size_t *out_count);

/* func.func, or "func.func"; the word is the next token. */
bool oc__parse_func(oc__parser *p);

/* --- what waits for the end of the text (pending.c) --- */

typedef struct oc__pending {
    const char *prefix; /* of the module being read: "outer::", or "" */
    struct oc__pending_op {
        oc__hlo_op *op;
        const char *at, *prefix;
        size_t func;
    } * ops;
    size_t op_count;
    struct oc__pending_resource {
        oc__token name;
        const oc__hlo_type *type;
        oc__hlo_dense *dense;
    } * resources;
    size_t resource_count;
    oc__names blobs; /* of the trailer, by name: pointers to tokens */
} oc__pending;

/* Calls are checked and symbols of nested modules get their whole names. */
bool oc__pending_op(oc__parser *p, oc__hlo_op *op, const char *at);
bool oc__pending_resource(oc__parser *p, const oc__token *name,
                          const oc__hlo_type *type, oc__hlo_dense *dense);
/* {-# dialect_resources: {builtin: {name: "0x..."}} #-} */
bool oc__parse_trailer(oc__parser *p);
bool oc__pending_check(oc__parser *p);

/* Decodes a hex string (a string token), `skip` bytes left out, as elements of the
 * type. */
bool oc__dense_blob(oc__parser *p, const oc__token *blob, size_t skip,
                    const oc__hlo_type *type, oc__hlo_dense *dense);

/* --- the module and what only this room knows of it --- */

typedef struct oc__module_room {
    oc__hlo_module module; /* first: a module is one of these */
    oc__names functions;   /* numbers: indices into module.funcs */
} oc__module_room;

#endif
