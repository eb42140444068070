/* How the operations plug into the evaluator.
 *
 * A kernel computes the results of one operation for one process from its operands. It
 * makes out[0 .. result_count) (each a new reference) and on failure leaves what it
 * made: the evaluator releases. The evaluator checks what came out against the declared
 * types (element type, rank, static dimensions), counts steps and memory, and adds
 * "file:line:column" to errors of kernels. Kernels fail with OC_PARSE where the program
 * breaks the specification (shapes that do not fit, a missing attribute).
 *
 * Group kernels see all active processes at once: control flow, calls, collectives.
 */
#ifndef ONCHIP_REFERENCE_KERNEL_H
#define ONCHIP_REFERENCE_KERNEL_H

#include "reference/evaluate.h"

typedef struct oc__eval oc__eval;       /* one evaluation; evaluate.c */
typedef struct oc__frame oc__frame;     /* the values of one function; frame.h */
typedef struct oc__op_plan oc__op_plan; /* what is known of an operation; eval.h */

typedef struct oc__call {
    oc__eval *eval;
    oc__frame *frame;
    const oc__hlo_op *op;
    size_t process;
    oc__value *const *in; /* op->operand_count, borrowed */
    oc__value **out;      /* op->result_count, NULL on entry */
} oc__call;

typedef oc_status (*oc__kernel_fn)(oc__call *call, oc_error *err);
/* `plan` says which operands the frame gives away. */
typedef oc_status (*oc__group_fn)(oc__eval *eval, oc__frame *frame,
                                  const oc__hlo_op *op, const oc__op_plan *plan,
                                  oc_error *err);

typedef struct oc__kernel {
    const char *op; /* "stablehlo.add" */
    oc__kernel_fn run;
    oc__group_fn run_group; /* one of the two */
    bool batches; /* inside a batched region its operands may be [n] or single elements
                   */
    const char *contract; /* codes of numerics 4, "R u", "E", "T k", "S n", "M", "-" */
    const char *remark; /* for docs/supported-ops.md; "" when there is nothing to say */
} oc__kernel;

/* The tables, each closed by a row without a name. */
extern const oc__kernel oc__kernels_real[]; /* elementwise on floats, and the ops that
                                               are for all types: add, compare, ... */
extern const oc__kernel oc__kernels_special[]; /* transcendentals, chlo functions */
extern const oc__kernel oc__kernels_integer[]; /* bits, shifts, conversions of bits */
extern const oc__kernel
    oc__kernels_movement[]; /* shapes, slices, gather, scatter, sort */
extern const oc__kernel oc__kernels_contract[];  /* dots, convolutions, reductions */
extern const oc__kernel oc__kernels_linear[];    /* fft, solves, batch norm, random */
extern const oc__kernel oc__kernels_quantized[]; /* uniform_quantize, dequantize */
extern const oc__kernel oc__kernels_control[];   /* call, while, if, tuples, tokens */
extern const oc__kernel oc__kernels_collective[];

/* NULL for an operation that the reference does not know. */
const oc__kernel *oc__kernel_find(const char *op_name);

/* stablehlo's or chlo's. */
bool oc__is_constant(const oc__hlo_op *op);

/* --- what kernels may ask --- */

const oc__arith *oc__call_arith(const oc__call *call);
const oc__hlo_module *oc__call_module(const oc__call *call);

/* The operation that defines operand `index`, NULL for an argument; looks through
 * nothing. */
const oc__hlo_op *oc__call_producer(const oc__call *call, size_t index);

/* False for a multiply whose product every device must round: all its users (through
 * data movement) are known not to add. Else the product may go unrounded into a fused
 * multiply-add, and its ball holds the exact product too. */
bool oc__call_contractible(const oc__call *call);

/* The declared type of result `index`. */
const oc__hlo_type *oc__call_result_type(const oc__call *call, size_t index);

/* Whether the call is made for a batch of region invocations: operands and results are
 * [n] (or single elements) whatever the declared shapes. */
bool oc__call_batched(const oc__call *call);

/* Counts elements under a rule of an open or undecided result. `rule` is static text or
 * lies in the module's arena. */
void oc__call_note(oc__call *call, const char *rule, uint64_t elements);

/* Adds to the evaluation's count of floating-point operations. */
void oc__call_flops(oc__call *call, double flops);

/* OC_DEADLINE or OC_LIMIT when time is up; for kernels that run long. */
OC_MUST_USE oc_status oc__call_tick(oc__call *call, oc_error *err);

/* A failure with "operation: " in front; the evaluator adds the place. Yields `status`,
 * here and not in the function, so that an analyzer of one file sees that it failed. */
#define OC_CALL_FAIL(call, err, status, ...)                                           \
    (oc__call_fail((call), (err), (status), __VA_ARGS__), (oc_status)(status))
OC_PRINTF(4, 5)
void oc__call_fail(oc__call *call, oc_error *err, oc_status status, const char *format,
                   ...);

/* --- regions
 * --------------------------------------------------------------------------- */

/* Runs a region of the call's operation for its process. args are borrowed; out_results
 * (as many as the region's return has) are new references, all or nothing. */
OC_MUST_USE oc_status oc__region_call(oc__call *call, const oc__hlo_region *region,
                                      oc__value *const *args, size_t arg_count,
                                      oc__value **out_results, size_t result_count,
                                      oc_error *err);

/* Runs a region on `n` independent sets of scalars at once: args are values of dims [n]
 * (element j belongs to invocation j), so are the results. Regions that hold more than
 * elementwise operations are run n times. */
OC_MUST_USE oc_status oc__region_map(oc__call *call, const oc__hlo_region *region,
                                     size_t n, oc__value *const *args, size_t arg_count,
                                     oc__value **out_results, size_t result_count,
                                     oc_error *err);

/* What a two-argument reduction body is, when it is one operation on its two arguments
 * in either order; they may be converted to a wider type and what comes out back. */
typedef enum oc__body {
    OC__BODY_OTHER = 0,
    OC__BODY_ADD,
    OC__BODY_MULTIPLY,
    OC__BODY_MAXIMUM,
    OC__BODY_MINIMUM,
    OC__BODY_AND,
    OC__BODY_OR,
    OC__BODY_XOR,
    OC__BODY_SECOND, /* returns its second argument: scatter's overwrite */
    OC__BODY_FIRST
} oc__body;
oc__body oc__region_body(const oc__hlo_region *region, oc_dtype argument);

/* --- tiles of elementwise operations
 * ---------------------------------------------------
 *
 * Elementwise operations on real floats work on tiles of at most OC__TILE elements, so
 * that chains of them can run without whole tensors in between. Arrays of a tile are
 * never NULL, s excepted (NULL unless arith.sigma). In and out do not overlap. */
enum { OC__TILE = 256 };

typedef struct oc__tile {
    double *m, *r, *s;
    uint8_t *f;
} oc__tile;

typedef struct oc__tile_env {
    const oc__arith *arith;
    const oc__hlo_op *op;
    oc_dtype dtype;     /* of the result */
    oc_dtype from;      /* of the first operand (convert) */
    double figure_ulps; /* T operations: k; negative when there is none */
    double accuracy_abs, accuracy_rel; /* result_accuracy TOLERANCE; else 0 */
    bool contractible;
    bool uniform_divisor; /* the divisor is a constant or one value for many elements */
} oc__tile_env;

typedef void (*oc__tile_fn)(const oc__tile_env *env, size_t n, const oc__tile *in,
                            oc__tile *out);

/* The tile function of an elementwise operation on real floats; NULL when it has none.
 */
oc__tile_fn oc__tile_find(const char *op_name, size_t *out_arity);
/* Those of special.c (transcendentals), asked by oc__tile_find. */
oc__tile_fn oc__tile_find_special(const char *op_name, size_t *out_arity);

/* Runs a tile function over whole tensors of reals: the body of most kernels. Operands
 * are of the same count, or single elements. */
OC_MUST_USE oc_status oc__tile_run(oc__call *call, oc__tile_fn fn, size_t arity,
                                   oc_error *err);

/* One rounding into `dtype` (numerics 8.1). exact: the real result of the operation on
 * the midpoints, as near as double gives it; own: a bound of exact's own error (0 when
 * it is exact); spread: the radius that the operands' balls give. The rounded midpoint
 * is returned, *r the radius of the result: INFINITY when the ball reaches overflow. A
 * point (spread 0, own 0) stays a point unless the contract in env is wider. */
double oc__round_ball(const oc__tile_env *env, double exact, double own, double spread,
                      double *r);

#endif
