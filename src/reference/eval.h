/* The evaluator's inside: one evaluation, and what is worked out once per operation. */
#ifndef ONCHIP_REFERENCE_EVAL_H
#define ONCHIP_REFERENCE_EVAL_H

#include "base/arena.h"
#include "reference/frame.h"

struct oc__op_plan {
    const oc__kernel *kernel; /* NULL: not known; an error when it is to run */
    /* [operand]: the frame gives its reference away, since the value is not used again.
     * A value that only `in` holds (references == 1) is the kernel's to write into. */
    bool *gives;
    bool is_return;
    bool quantized; /* runs through oc__quantized_run */
    bool is_constant;
    bool keeps; /* a constant of a region, or one that ran before: its value is kept */
    oc__value *kept;
    size_t fused; /* > 0: a chain of so many operations starts here (fuse.h) */
};

typedef struct oc__block_plan {
    const oc__hlo_block *block;
    oc__op_plan *ops; /* [block->op_count] */
    bool batches;     /* elementwise operations on scalars only */
    struct oc__block_plan *next;
} oc__block_plan;

typedef struct oc__func_plan {
    const oc__hlo_func *func;
    const oc__hlo_op **producers; /* [value]: NULL for arguments */
    bool *feeds_add; /* [value]: some user may add it, also past data movement */
} oc__func_plan;

/* Pointer to pointer; open addressing. */
typedef struct oc__pointer_map {
    size_t count, capacity;
    const void **keys;
    const void **values;
} oc__pointer_map;

struct oc__eval {
    const oc__hlo_module *module;
    const oc__hlo_func *main;
    size_t replicas, partitions;
    oc__arith arith;
    oc__eval_limits limits;
    double deadline; /* on CLOCK_MONOTONIC; 0: none */
    uint64_t steps;
    size_t depth; /* blocks that are running */
    double flops;
    oc__arena *arena;              /* plans */
    oc__pointer_map blocks, funcs; /* to oc__block_plan, oc__func_plan */
    oc__pointer_map callees;       /* of calls, to const oc__hlo_func */
    oc__block_plan *block_plans;
    oc__evaluation *evaluation; /* notes go there */
    size_t note_capacity;
};

/* NULL only when out of memory. Plans of a function's blocks are made with its own. */
const oc__func_plan *oc__plan_func(oc__eval *eval, const oc__hlo_func *func);
const oc__block_plan *oc__plan_block(oc__eval *eval, const oc__hlo_block *block);
/* The function that a call names. */
OC_MUST_USE oc_status oc__plan_callee(oc__eval *eval, const oc__hlo_op *op,
                                      const char *name, const oc__hlo_func **out_func,
                                      oc_error *err);
void oc__plan_release(oc__eval *eval);

/* Whether any user of the values may add: plan_add.c. ops: every operation of the
 * function, each before those of its regions. */
void oc__plan_feeds_add(const oc__hlo_func *func, bool is_main,
                        const oc__hlo_op *const *ops, size_t op_count, bool *feeds_add);

/* The value of an operand for the operation's own use: moved out of the frame when the
 * plan gives it away, else one more reference. */
oc__value *oc__frame_take(oc__frame *frame, size_t process, const oc__hlo_op *op,
                          const oc__op_plan *plan, size_t operand);

OC_MUST_USE oc_status oc__eval_tick(oc__eval *eval, oc_error *err);

/* Puts "FILE:LINE:COLUMN: " in front of an error, unless an operation further in did. A
 * refused plane is the memory limit, whatever the kernel made of it. */
void oc__eval_place(const oc__eval *eval, const oc__hlo_op *op, oc_status *rc,
                    oc_error *err);

/* The text of a rule for oc__eval_add_note, kept as long as the evaluation's results;
 * "unnamed" when there is no memory. */
OC_PRINTF(2, 3)
const char *oc__eval_text(oc__eval *eval, const char *format, ...);

#endif
