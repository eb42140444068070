/* The parser's inside: what the files of this room share. Recursive descent over one
 * token of look-ahead; functions are named after the grammar and read what their name
 * says. The first error stops everything (functions yield false; the oc_error is
 * already filled). */
#ifndef ONCHIP_STABLEHLO_PARSER_H
#define ONCHIP_STABLEHLO_PARSER_H

#include "base/arena.h"
#include "stablehlo/module.h"

typedef enum oc__token_kind {
    OC__TOKEN_END = 0,
    OC__TOKEN_BARE,   /* identifier, dots and $ included: func.func, stablehlo.add, x */
    OC__TOKEN_VALUE,  /* %name, with #k when it stands there */
    OC__TOKEN_SYMBOL, /* @name or @"name" */
    OC__TOKEN_BLOCK,  /* ^name */
    OC__TOKEN_HASH,   /* #name: an attribute alias or #dialect.name */
    OC__TOKEN_BANG,   /* !name: a type alias or !dialect.name */
    OC__TOKEN_INTEGER, /* 12, 0x1F (a sign is a token of its own) */
    OC__TOKEN_FLOAT,   /* 1.0, 1.5e-3 */
    OC__TOKEN_STRING,  /* "..." */
    OC__TOKEN_PUNCT    /* one of ( ) { } [ ] < > , : = * + - ? | /, or -> :: {-# #-} */
} oc__token_kind;

typedef struct oc__token {
    oc__token_kind kind;
    const char *at; /* in the source; %, @, ^, #, ! and quotes included */
    size_t size;
} oc__token;

typedef struct oc__parser {
    const char *text, *end;
    const char *file;
    oc__token token;      /* the next one, not consumed */
    const char *consumed; /* the end of the one before */
    const char *line_at,
        *line_start; /* the place last asked for its line, and that line */
    size_t line;
    oc__hlo_module *module;
    oc__arena *arena;
    size_t depth;
    struct oc__scope *scope; /* names and types of values of the function being read */
    struct oc__names *aliases;   /* #name, !name: pointers to the attribute or type */
    struct oc__pending *pending; /* what is checked when all of the text was read */
    oc_error *err;
} oc__parser;

/* --- tokens (lexer.c, source.c)
 * ---------------------------------------------------------------- */

bool oc__parse_next(
    oc__parser *p); /* consumes the token; false on an error in the text */
bool oc__token_is(const oc__parser *p, const char *punct_or_word);
/* Consumes it when it is next: `false` only says that it was not (or an error, which
 * the next call meets again). */
bool oc__accept(oc__parser *p, const char *punct_or_word);
bool oc__expect(oc__parser *p, const char *punct_or_word);
/* Fails at a place in the source ("FILE:L:C: message", the line and a caret). */
OC_PRINTF(4, 5)
bool oc__parse_fail(oc__parser *p, oc_status status, const char *at, const char *format,
                    ...);
/* Fails at the next token: "expected WHAT, found 'x'". */
bool oc__parse_expected(oc__parser *p, const char *what);
bool oc__parse_enter(oc__parser *p); /* depth + 1, fails past OC__HLO_MAX_DEPTH */
void oc__parse_leave(oc__parser *p);
void *oc__parse_take(oc__parser *p, size_t count,
                     size_t size); /* fails with OC_NOMEM */

/* --- types and attributes (types*.c, attributes*.c, dense.c)
 * ----------------------------- */

bool oc__parse_type(oc__parser *p, const oc__hlo_type **out_type);
bool oc__parse_attr(oc__parser *p, const oc__hlo_attr **out_attr);
/* {name = attr, name, ...}, the braces included. */
bool oc__parse_dict(oc__parser *p, const oc__hlo_named **out_entries,
                    size_t *out_count);
/* `key = value, ...` up to (not including) `close`: the inside of
 * #stablehlo.gather<...> or of an algorithm; values are attributes, or bare words (kept
 * as OC__ATTR_ENUM), or types. */
bool oc__parse_struct_body(oc__parser *p, const char *close, const char *name,
                           const oc__hlo_attr **out_attr);
/* [1, 2, 3], [true], [] as INTS; the brackets included. */
bool oc__parse_int_list(oc__parser *p, const oc__hlo_attr **out_attr);
bool oc__parse_integer(oc__parser *p, int64_t *out_value); /* with a sign */
/* dense<...> : type; `dense` is the next token. */
bool oc__parse_dense(oc__parser *p, const oc__hlo_attr **out_attr);
/* [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], or `raw` and a struct's body: the inside of
 * #stablehlo.conv<...>, as a STRUCT "stablehlo.conv" (pretty_dims.c). */
bool oc__parse_conv_dims(oc__parser *p, const oc__hlo_attr **out_attr);
/* loc(...) when it is next: read and dropped. */
bool oc__parse_location(oc__parser *p);

const oc__hlo_attr *oc__make_int(oc__parser *p, int64_t value);
const oc__hlo_attr *oc__make_flag(oc__parser *p, bool value);
const oc__hlo_attr *oc__make_word(oc__parser *p, oc__hlo_attr_kind kind,
                                  const char *text,
                                  size_t size); /* STRING, SYMBOL or ENUM */
const oc__hlo_attr *oc__make_ints(oc__parser *p, const int64_t *ints, size_t count);

/* --- operations (drafts.c, regions.c, operations.c)
 * ------------------------------------ */

/* An operation while it is read. Lists grow in the parser's arena. */
typedef struct oc__op_draft {
    const char *name;
    const char *at;
    size_t result_count; /* as written on the left of `=`; 0 when there is no `=` */
    size_t *operands;
    size_t operand_count;
    const char **operand_places; /* for errors */
    const oc__hlo_type **result_types;
    size_t result_type_count;
    oc__hlo_named *attributes;
    size_t attribute_count;
    const oc__hlo_region **regions;
    size_t region_count;
} oc__op_draft;

/* %a or %a#1; a value not known yet is an error. */
bool oc__parse_operand(oc__parser *p, oc__op_draft *op);
/* %a, %b ... zero or more, separated by commas. */
bool oc__parse_operands(oc__parser *p, oc__op_draft *op);
bool oc__draft_attr(oc__parser *p, oc__op_draft *op, const char *name,
                    const oc__hlo_attr *value);
bool oc__draft_result(oc__parser *p, oc__op_draft *op, const oc__hlo_type *type);
/* {attributes} when a brace is next; for the optional dictionary of pretty forms. */
bool oc__parse_optional_dict(oc__parser *p, oc__op_draft *op);
/* (types) -> type or (types): operand types are checked against the values', result
 * types are set. One type for all (`: tensor<2xf32>`) is the same for operands and
 * results. */
bool oc__parse_function_type(oc__parser *p, oc__op_draft *op);
/* { ^bb0(%a: type): ops } with block arguments `names` given from outside (pretty
 * reduce, while) or, when argument_count is 0, from a label in the text. */
bool oc__parse_region(oc__parser *p, oc__op_draft *op, const oc__token *names,
                      const oc__hlo_type *const *types, size_t argument_count);
/* A region of one operation on two arguments of the type (count is 1) and a
 * stablehlo.return: `applies op`. */
bool oc__draft_applied_region(oc__parser *p, oc__op_draft *op, const char *applied,
                              const oc__hlo_type *const *element_types, size_t count);
const oc__hlo_type *oc__operand_type(const oc__parser *p, const oc__op_draft *op,
                                     size_t index);
const oc__hlo_type *oc__scalar_tensor(oc__parser *p, const oc__hlo_type *tensor);

/* --- pretty forms (pretty.c and pretty_*.c)
 * --------------------------------------------- One reader a form, named in one table
 * by operation. The name is consumed already. */

typedef bool (*oc__pretty_fn)(oc__parser *p, oc__op_draft *op);
oc__pretty_fn oc__pretty_find(const char *op_name); /* NULL: generic form only */

#endif
