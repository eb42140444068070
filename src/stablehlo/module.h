/* A StableHLO module in memory.
 *
 * Everything that a module holds (types, attributes, operations, names, constants) lies
 * in its one arena and lives until oc__hlo_module_free; all of it is read only once the
 * module was made. Values are numbered within a function from 0, its arguments first,
 * values of nested regions included, so that an array of value_count slots is a frame.
 *
 * One form of every operation: whatever spelling the text used (pretty, generic,
 * <{properties}> or a dictionary after the regions), an operation here has the
 * attributes of StableHLO's generic form under their names in the specification
 * ("broadcast_dimensions", "dimensions", "dimension_numbers", ...). Operations that the
 * text only names (`applies stablehlo.add`, `composite`) have their region or
 * attributes written out.
 */
#ifndef ONCHIP_STABLEHLO_MODULE_H
#define ONCHIP_STABLEHLO_MODULE_H

#include "base/error.h"
#include "onchip/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A dimension written `?`. */
#define OC__HLO_DYNAMIC INT64_MIN

enum {
    OC__HLO_MAX_DEPTH = 256,     /* nested regions, attributes, types */
    OC__HLO_MAX_OPERANDS = 65536 /* operands or results of one operation */
};

typedef struct oc__hlo_type oc__hlo_type;
typedef struct oc__hlo_attr oc__hlo_attr;
typedef struct oc__hlo_op oc__hlo_op;
typedef struct oc__hlo_region oc__hlo_region;
typedef struct oc__hlo_module oc__hlo_module;

/* !quant.uniform<storage<min:max>:expressed:dimension, {scale:zero_point, ...}>: real =
 * (stored - zero_point) * scale. A tensor's dtype is then the storage type. */
typedef struct oc__hlo_quant {
    oc_dtype storage, expressed;
    int64_t storage_min, storage_max;
    int64_t dimension; /* -1: one scale for the whole tensor */
    size_t count;      /* of scales and zero points; 1 when dimension is -1 */
    const double *scales;
    const int64_t *zero_points;
} oc__hlo_quant;

typedef enum oc__hlo_type_kind {
    OC__HLO_TENSOR = 1,
    OC__HLO_TOKEN,
    OC__HLO_TUPLE,
    OC__HLO_SCALAR, /* a bare element type, as in `1 : i64` or an algorithm's bf16 */
    OC__HLO_OTHER /* a type that no value of onchip has (function, none, !dialect.t) */
} oc__hlo_type_kind;

struct oc__hlo_type {
    oc__hlo_type_kind kind;
    oc_dtype dtype; /* OC_DTYPE_INVALID for TUPLE and OTHER, and for tf32 and index */
    size_t rank;
    const int64_t *dims;        /* OC__HLO_DYNAMIC for ? */
    const oc__hlo_quant *quant; /* NULL when not quantized */
    /* NULL, or as written: #stablehlo.bounds<4, ?> is a STRUCT with the entry "bounds",
     * INTS (OC__HLO_DYNAMIC for ?), as is #stablehlo.type_extensions<bounds = [4, ?]>.
     */
    const oc__hlo_attr *encoding;
    size_t element_count; /* TUPLE */
    const oc__hlo_type *const *elements;
    const char *text; /* as in the source; always set */
};

typedef enum oc__hlo_attr_kind {
    OC__ATTR_UNIT = 1,
    OC__ATTR_BOOL,   /* integer: 0 or 1 */
    OC__ATTR_INT,    /* integer, type */
    OC__ATTR_FLOAT,  /* real, type */
    OC__ATTR_STRING, /* text, text_size (may hold any byte) */
    OC__ATTR_SYMBOL, /* text: without @ and quotes */
    OC__ATTR_TYPE,   /* type */
    OC__ATTR_ARRAY,  /* items: [a, b] */
    OC__ATTR_INTS,   /* ints: array<i64: ..>, array<i1: ..>, and every list of whole
                        numbers of a pretty form */
    OC__ATTR_DENSE,  /* type, dense */
    OC__ATTR_DICT,   /* entries: {a = 1, b} */
    OC__ATTR_STRUCT, /* #dialect.name<key = value, ...>: text is "stablehlo.gather",
                        entries */
    OC__ATTR_ENUM,   /* #stablehlo<kind VALUE>: text is "VALUE" */
    OC__ATTR_OTHER   /* carried along unread: text is the source */
} oc__hlo_attr_kind;

typedef struct oc__hlo_named {
    const char *name;
    const oc__hlo_attr *value;
} oc__hlo_named;

/* The data of a constant in the layout of oc_tensor (row major, little endian, sub-byte
 * integers sign-extended into a byte each, sub-byte floats as their bits in a byte). */
typedef struct oc__hlo_dense {
    bool splat; /* data holds one element, which stands for all */
    size_t size_bytes;
    const void *data; /* aligned to 16 bytes */
} oc__hlo_dense;

struct oc__hlo_attr {
    oc__hlo_attr_kind kind;
    const oc__hlo_type *type;
    int64_t integer;
    double real;
    const char *text;
    size_t text_size;
    size_t count; /* of items, ints or entries */
    union {
        const oc__hlo_attr *const *items;
        const int64_t *ints;
        const oc__hlo_named *entries;
        const oc__hlo_dense *dense;
    };
};

typedef struct oc__hlo_block {
    size_t
        argument_count; /* their values are first_argument, first_argument + 1, ... */
    size_t first_argument;
    size_t op_count; /* the last one is the terminator (return), if there is any */
    const oc__hlo_op *const *ops;
} oc__hlo_block;

/* Every region of StableHLO has one block. */
struct oc__hlo_region {
    oc__hlo_block block;
};

struct oc__hlo_op {
    const char *name; /* "stablehlo.add", "func.return" */
    size_t operand_count;
    const size_t *operands; /* value numbers */
    size_t result_count;
    size_t first_result; /* value numbers first_result, first_result + 1, ... */
    const oc__hlo_type *const *result_types;
    size_t attribute_count;
    const oc__hlo_named *attributes;
    size_t region_count;
    const oc__hlo_region *const *regions;
    size_t line, column; /* from 1 */
    /* Values of this operation's block that no later operation of the block uses (uses
     * in nested regions count as uses by the operation that holds the region), this
     * operation's own unused results included. */
    size_t dying_count;
    const size_t *dying;
};

typedef struct oc__hlo_func {
    const char *name; /* nested modules: "outer::inner" */
    bool is_private;
    const oc__hlo_type *const *argument_types;
    const oc__hlo_named *const *argument_attributes; /* [argument]: entries, or NULL */
    const size_t *argument_attribute_counts;
    size_t result_count;
    const oc__hlo_type *const *result_types;
    size_t attribute_count;
    const oc__hlo_named *attributes;
    size_t value_count;
    const oc__hlo_type *const *value_types; /* [value] */
    const char *const *value_names;         /* [value] as written, "%arg0", "%0#1" */
    oc__hlo_block body;
    size_t line, column;
} oc__hlo_func;

struct oc__hlo_module {
    const char *name; /* "" when it has none */
    const char *file; /* for messages */
    size_t attribute_count;
    const oc__hlo_named *attributes;
    size_t func_count;
    const oc__hlo_func *const *funcs;
    struct oc__arena *arena;
};

void oc__hlo_module_free(oc__hlo_module *module);

/* NULL when there is none of this name. */
const oc__hlo_func *oc__hlo_func_find(const oc__hlo_module *module, const char *name);

/* The function @main. OC_PARSE names the functions that are there when it is not. */
OC_MUST_USE oc_status oc__hlo_main(const oc__hlo_module *module,
                                   const oc__hlo_func **out_main, oc_error *err);

/* --- attributes of an operation --- */

/* NULL when the operation has none of this name. */
const oc__hlo_attr *oc__hlo_attr_get(const oc__hlo_op *op, const char *name);
const oc__hlo_attr *oc__hlo_entry(const oc__hlo_attr *dict_or_struct, const char *name);

/* The next four yield the default when the attribute is absent or of another kind. */
int64_t oc__hlo_attr_int(const oc__hlo_op *op, const char *name, int64_t otherwise);
bool oc__hlo_attr_flag(const oc__hlo_op *op, const char *name); /* unit or true */
const char *oc__hlo_attr_text(const oc__hlo_op *op, const char *name,
                              const char *otherwise); /* string, enum or symbol */

/* Whole numbers written as array<i64: ..>, [..] or dense<..> of integers or i1, of any
 * shape (flattened row major, splats written out); *out_count 0 and OC_OK when the
 * attribute is NULL. *out_ints lies in the module's arena or is a static empty array.
 */
OC_MUST_USE oc_status oc__hlo_ints(const oc__hlo_module *module,
                                   const oc__hlo_attr *attr, const int64_t **out_ints,
                                   size_t *out_count, oc_error *err);

/* "file:line:column: " in front of the message; for failures that belong to an
 * operation. */
OC_PRINTF(6, 7)
oc_status oc__hlo_fail(const oc__hlo_module *module, const oc__hlo_op *op,
                       oc_error *err, oc_status status, oc_boundary boundary,
                       const char *format, ...);

#endif
