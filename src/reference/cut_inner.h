/* The inside of cut.h: what cut.c (the walk), cut_rules.c (the operations), cut_build.c
 * and cut_emit.c (the new module) share. Functions yield false when they fail; the
 * error is then in the cutter already. */
#ifndef ONCHIP_REFERENCE_CUT_INNER_H
#define ONCHIP_REFERENCE_CUT_INNER_H

#include "base/arena.h"
#include "reference/cut.h"

#define OC__CUT_NONE SIZE_MAX

/* One run of a function: main's, or a call's that was inlined. */
typedef struct oc__cut_frame {
    const oc__hlo_func *func;
    size_t *flat;  /* [value]: index into the cutter's values; OC__CUT_NONE inside of
                      regions */
    size_t *inner; /* [value]: number in the new function of what lies inside of the
                      region that is being copied */
} oc__cut_frame;

/* A value that was made is taken apart once for every grid that somebody wants. */
typedef struct oc__cut_taken {
    oc__grid grid;
    size_t number;
    struct oc__cut_taken *next;
} oc__cut_taken;

typedef struct oc__cut_value {
    const oc__hlo_type *type; /* whole */
    bool wanted;
    oc__grid grid; /* what its users want; what is made, once its operation was seen */
    size_t number; /* in the new function */
    oc__cut_taken *taken;
} oc__cut_value;

typedef struct oc__cut_rule oc__cut_rule;

typedef struct oc__cut_node {
    const oc__hlo_op *op;
    oc__cut_frame *frame;
    const oc__cut_rule *rule;
    const size_t *operands; /* indices into the cutter's values */
    size_t first_result;
    oc__grid *needs; /* [operand], rank OC__CUT_NONE: not needed. NULL: nobody wants the
                        operation's results */
} oc__cut_node;

typedef struct oc__cutter {
    const oc__hlo_module *module;
    oc__arena *scratch, *arena; /* the second is the new module's */
    oc_status rc;
    oc_error *err;
    oc__cut_node *nodes;
    size_t node_count, node_capacity;
    oc__cut_value *values;
    size_t value_count, value_capacity;
    size_t call_count;     /* that were inlined */
    size_t argument_count; /* the first values are main's arguments */
    /* the new function */
    const oc__hlo_op **ops;
    size_t op_count, op_capacity;
    const oc__hlo_type **types;
    size_t type_count, type_capacity;
} oc__cutter;

/* How many operands an operation of a rule has; else it is made whole. */
enum {
    OC__CUT_ANY = -1,  /* one result */
    OC__CUT_EACH = -2, /* as many as results */
    OC__CUT_PAIRS = -3 /* twice as many */
};

struct oc__cut_rule {
    const char *op;
    int operand_count;
    /* Widens the results' grids to what is made, and sets the operands' (which are
     * whole on entry). */
    bool (*demand)(oc__cutter *c, const oc__cut_node *node);
    /* Makes the operation. */
    bool (*emit)(oc__cutter *c, const oc__cut_node *node);
};

/* --- memory and errors (cut.c) --- */

void *oc__cut_take_memory(oc__cutter *c, oc__arena *arena, size_t count, size_t size);
/* The list itself or a longer copy in the scratch arena, with room for one more behind
 * `count` items; NULL when out of memory. */
void *oc__cut_room(oc__cutter *c, void *list, size_t count, size_t *capacity,
                   size_t size);
bool oc__cut_fail_at(oc__cutter *c, const oc__hlo_op *op, oc_status status,
                     const char *what);

/* One more value, which no operation of the program makes. */
bool oc__cut_value_add(oc__cutter *c, const oc__hlo_type *type);

/* --- whether a program can be cut (cut_check.c) --- */

bool oc__cut_check(oc__cutter *c, const oc__hlo_func *main);
/* The function that a call names; NULL: the operation is no call. False when there is
 * no such function, or no body. */
bool oc__cut_callee(oc__cutter *c, const oc__hlo_op *op, const oc__hlo_func **out_func);
bool oc__cut_is_return(const oc__hlo_op *op);

/* --- grids (cut_grid.c) --- */

void oc__grid_whole(const oc__hlo_type *type, oc__grid *out);
bool oc__grid_is_whole(const oc__grid *grid);
bool oc__grid_equal(const oc__grid *a, const oc__grid *b);
static inline int64_t oc__grid_at(const oc__grid *grid, size_t d, int64_t i)
{
    return grid->indices[d] ? grid->indices[d][i] : i;
}
/* Copies a dimension from one grid to another; nothing where a wrong program names one
 * that is not there (oc__grid_fits then says so). */
static inline void oc__grid_pass(oc__grid *to, size_t d, const oc__grid *from, size_t f)
{
    if (d < to->rank && f < from->rank) {
        to->indices[d] = from->indices[f];
        to->counts[d] = from->counts[f];
    }
}
/* Whether these are indices of a value of this type. */
bool oc__grid_fits(const oc__hlo_type *type, const oc__grid *grid);
/* Makes dimension d of the grid whole. */
static inline void oc__grid_fill(oc__grid *grid, size_t d, int64_t dim)
{
    grid->indices[d] = NULL;
    grid->counts[d] = dim;
}
/* Dimension d becomes what is marked in `marks` (size of the dimension). */
bool oc__grid_mark(oc__cutter *c, oc__grid *grid, size_t d, const bool *marks,
                   int64_t dim);
/* to: the union, dimension by dimension. */
bool oc__grid_join(oc__cutter *c, const oc__hlo_type *type, oc__grid *to,
                   const oc__grid *more);
/* The elements of a grid, one after the other; elements are of `size` bytes. */
void oc__grid_copy(const oc__grid *grid, const int64_t *dims, size_t size,
                   const void *from, void *to);

/* --- rules (cut_rules.c: the table; cut_dots.c, cut_join.c,
 * cut_reshape.c: parts of it) --- */

bool oc__cut_demand_dot(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_demand_dot_general(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_demand_convolution(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_demand_concatenate(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_demand_pad(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_demand_reshape(oc__cutter *c, const oc__cut_node *node);
/* Whole numbers of an attribute; an absent one has none. */
bool oc__cut_read(oc__cutter *c, const oc__hlo_attr *attr, const int64_t **out_ints,
                  size_t *out_count);

const oc__cut_rule *oc__cut_rule_of(const oc__cutter *c, const oc__cut_node *node);
static inline oc__cut_value *oc__cut_in(const oc__cutter *c, const oc__cut_node *node,
                                        size_t k)
{
    return &c->values[node->operands[k]];
}
static inline oc__cut_value *oc__cut_out(const oc__cutter *c, const oc__cut_node *node,
                                         size_t k)
{
    return &c->values[node->first_result + k];
}

static inline void oc__cut_skip(const oc__cut_node *node, size_t operand)
{
    node->needs[operand].rank = OC__CUT_NONE;
}

/* --- what stands for an operation (cut_emit.c) --- */

/* The operation as it is, with the operands that are needed and cut result types. */
bool oc__cut_emit_same(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_emit_each(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_emit_slice(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_emit_broadcast(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_emit_constant(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_emit_size(oc__cutter *c, const oc__cut_node *node);
bool oc__cut_emit_iota(oc__cutter *c, const oc__cut_node *node);

/* --- building (cut_build.c, cut_take.c) --- */

/* An operation like the node's, with other operands, result types and attributes. */
typedef struct oc__cut_draft {
    const char *name;
    const size_t *operands; /* numbers of the new function */
    size_t operand_count;
    const oc__hlo_type *const *result_types;
    size_t result_count;
    const oc__hlo_named *attributes;
    size_t attribute_count;
    oc__cut_frame *frame; /* of the regions; NULL: none are copied */
} oc__cut_draft;

/* The next number of the new function, for a value of this type. */
bool oc__cut_number(oc__cutter *c, const oc__hlo_type *type, size_t *out_number);
bool oc__cut_add(oc__cutter *c, const oc__hlo_op *place, const oc__cut_draft *draft,
                 size_t *out_first);
/* A value's elements at a grid that lies in the one that it was made at. */
bool oc__cut_take(oc__cutter *c, const oc__hlo_op *place, size_t value,
                  const oc__grid *grid, size_t *out_number);
const oc__hlo_type *oc__cut_type(oc__cutter *c, const oc__hlo_type *whole,
                                 const oc__grid *grid);
extern const oc__hlo_type oc__cut_i64; /* of attributes */
const oc__hlo_attr *oc__cut_ints(oc__cutter *c, const int64_t *ints, size_t count);
/* A type of rank 1; of rank 0 when count is NULL. */
const oc__hlo_type *oc__cut_vector(oc__cutter *c, oc_dtype dtype, const int64_t *count);
/* A constant of whole numbers of such a type. */
bool oc__cut_constant(oc__cutter *c, const oc__hlo_op *place, oc_dtype dtype,
                      const int64_t *ints, const int64_t *count, size_t *out_number);
/* The module's main, from all operations, returning these values. */
bool oc__cut_finish(oc__cutter *c, const oc__hlo_func *old, const size_t *arguments,
                    size_t argument_count, const size_t *results, size_t result_count,
                    oc__hlo_module **out_module);

#endif
