/* The values of one function while it runs, for all processes. */
#ifndef ONCHIP_REFERENCE_FRAME_H
#define ONCHIP_REFERENCE_FRAME_H

#include "reference/kernel.h"

struct oc__frame {
    const oc__hlo_func *func;
    size_t process_count;
    bool *active; /* [process]: takes part now (a branch may be some processes' own) */
    oc__value **slots; /* [process * func->value_count + value], NULL when not alive */
    size_t batch;      /* > 0: a region mapped over this many invocations */
    size_t first_process; /* the grid's process that process 0 of this frame is: a
                             region that runs for one process has a frame of one */
    const struct oc__func_plan *plan; /* eval.h */
};

static inline oc__value **oc__slot(oc__frame *frame, size_t process, size_t value)
{
    return &frame->slots[process * frame->func->value_count + value];
}

/* Replaces the slot's value; takes over the reference. */
void oc__frame_set(oc__frame *frame, size_t process, size_t value, oc__value *v);

/* Runs a block for the active processes; its arguments are set already. On return
 * results[process * result_count + i] holds the operands of the terminator (new
 * references) for every active process. */
OC_MUST_USE oc_status oc__block_run(oc__eval *eval, oc__frame *frame,
                                    const oc__hlo_block *block, oc__value **results,
                                    size_t result_count, oc_error *err);

/* Calls a function for the active processes of `frame`: args[process * arg_count + i],
 * whose references are taken over (and set to NULL) whatever comes of it, results as
 * above. OC_LIMIT when calls nest too deep. */
OC_MUST_USE oc_status oc__func_run(oc__eval *eval, oc__frame *frame,
                                   const oc__hlo_func *func, oc__value **args,
                                   size_t arg_count, oc__value **results,
                                   oc_error *err);

/* A process of the grid is number replica * partitions + partition. */
OC_MUST_USE oc_status oc__eval_step(oc__eval *eval, oc_error *err);
void oc__eval_add_note(oc__eval *eval, const oc__hlo_op *op, const char *rule,
                       uint64_t elements);

#endif
