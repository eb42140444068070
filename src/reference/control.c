#include "reference/control.h"

#include "reference/hull.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the one number of a predicate or index; *decided is false when it is not known.
 */
static oc_status read_scalar(const oc__hlo_op *op, const oc__value *value,
                             int64_t *out_number, bool *out_decided, oc_error *err)
{
    *out_number = 0;
    bool whole = value->kind == OC__HLO_TENSOR &&
                 (value->dtype == OC_PRED || oc__dtype_is_integer(value->dtype));
    if (!whole || value->count != 1) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: its predicate or index is not one whole number", op->name);
    }
    *out_decided = oc__value_ints(value, out_number);
    return OC_OK;
}

/* --- branches ------------------------------------------------------------------ */

/* What each process of the frame does. */
typedef struct choice {
    size_t branch; /* that the text's own value picks */
    bool decided;
    uint8_t flags; /* of the predicate: they pass to the results */
} choice;

/* Every value that a branch makes goes into the results of the processes that took it;
 * the other branches of an undecided process widen them. */
static oc_status merge_branches(oc__bundle *branches, size_t branch_count,
                                size_t process, const choice *c, oc__value **results,
                                oc_error *err)
{
    oc_status rc = OC_OK;
    oc__value **picked = oc__bundle_row(&branches[c->branch], process);
    for (size_t i = 0; rc == OC_OK && i < branches[c->branch].count; i++) {
        results[i] = picked[i];
        picked[i] = NULL;
        for (size_t b = 0; rc == OC_OK && b < branch_count; b++) {
            const oc__value *other = oc__bundle_row(&branches[b], process)[i];
            if (other) {
                rc = oc__value_hull(&results[i], other, err);
            }
        }
        if (rc == OC_OK) {
            rc = oc__value_flag(&results[i], c->flags, err);
        }
    }
    return rc;
}

static oc_status run_branches(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                              const choice *choices, oc__bundle *branches,
                              oc_error *err)
{
    oc_status rc = OC_OK;
    oc__frame view = *frame;
    view.active = malloc(frame->process_count + 1);
    if (!view.active) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a branch");
    }
    for (size_t b = 0; rc == OC_OK && b < op->region_count; b++) {
        bool any = false;
        for (size_t p = 0; p < frame->process_count; p++) {
            view.active[p] =
                frame->active[p] && (choices[p].branch == b || !choices[p].decided);
            any = any || view.active[p];
        }
        rc = oc__bundle_make(frame, op->result_count, &branches[b], err);
        if (rc == OC_OK && any) {
            rc = oc__block_run(eval, &view, &op->regions[b]->block, branches[b].values,
                               op->result_count, err);
        }
    }
    free(view.active);
    return rc;
}

/* choose: the branch that a number picks. */
static oc_status run_branching(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                               size_t (*choose)(int64_t number, size_t count),
                               oc_error *err)
{
    oc_status rc = OC_OK;
    oc__bundle results = {0};
    choice *choices = calloc(frame->process_count + 1, sizeof *choices);
    oc__bundle *branches = calloc(op->region_count + 1, sizeof *branches);
    if (!choices || !branches) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a branch");
        goto done;
    }
    for (size_t p = 0; rc == OC_OK && p < frame->process_count; p++) {
        if (frame->active[p]) {
            const oc__value *value = *oc__slot(frame, p, op->operands[0]);
            int64_t number = 0;
            rc = read_scalar(op, value, &number, &choices[p].decided, err);
            choices[p].branch = choose(number, op->region_count);
            choices[p].flags = rc == OC_OK ? oc__value_sticky(value) : 0;
            if (rc == OC_OK && !choices[p].decided) {
                oc__eval_add_note(eval, op, "predicate_undecided", 1);
            }
        }
    }
    if (rc == OC_OK) {
        rc = run_branches(eval, frame, op, choices, branches, err);
    }
    if (rc == OC_OK) {
        rc = oc__bundle_make(frame, op->result_count, &results, err);
    }
    for (size_t p = 0; rc == OC_OK && p < frame->process_count; p++) {
        if (frame->active[p]) {
            rc = merge_branches(branches, op->region_count, p, &choices[p],
                                oc__bundle_row(&results, p), err);
        }
    }
    if (rc == OC_OK) {
        oc__bundle_give(&results, frame, op);
    }
done:
    for (size_t b = 0; branches && b < op->region_count; b++) {
        oc__bundle_release(&branches[b]);
    }
    oc__bundle_release(&results);
    free(branches);
    free(choices);
    return rc;
}

static size_t choose_case(int64_t number, size_t count)
{
    return number >= 0 && (uint64_t)number < count ? (size_t)number : count - 1;
}

static size_t choose_if(int64_t number, size_t count)
{
    (void)count;
    return number ? 0 : 1;
}

oc_status oc__run_case(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                       const oc__op_plan *plan, oc_error *err)
{
    (void)plan;
    if (op->operand_count != 1 || op->region_count == 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: it needs an index and at least one branch", op->name);
    }
    return run_branching(eval, frame, op, choose_case, err);
}

oc_status oc__run_if(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                     const oc__op_plan *plan, oc_error *err)
{
    (void)plan;
    if (op->operand_count != 1 || op->region_count != 2) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: it needs a predicate and two branches", op->name);
    }
    return run_branching(eval, frame, op, choose_if, err);
}

/* --- loops --------------------------------------------------------------------- */

typedef struct loop {
    oc__eval *eval;
    oc__frame *frame;
    oc__frame view; /* active: the processes that are still looping */
    const oc__hlo_op *op;
    oc__bundle state, predicates;
    uint8_t *flags; /* [process]: of its predicates so far */
    uint64_t iteration;
} loop;

/* A value that the body hands on as it got it is the same after any number of
 * iterations. */
static bool is_invariant(const oc__hlo_block *body, size_t i)
{
    const oc__hlo_op *last = body->op_count > 0 ? body->ops[body->op_count - 1] : NULL;
    return last && i < last->operand_count &&
           last->operands[i] == body->first_argument + i;
}

static oc_status stop_undecided(loop *l, size_t process, oc_error *err)
{
    oc_status rc = OC_OK;
    uint64_t elements = 0;
    oc__value **state = oc__bundle_row(&l->state, process);
    for (size_t i = 0; rc == OC_OK && i < l->state.count; i++) {
        if (!is_invariant(&l->op->regions[1]->block, i)) {
            rc = oc__value_undecide(&state[i], 0, err);
            elements += state[i]->count;
        }
    }
    oc__eval_add_note(l->eval, l->op,
                      oc__eval_text(l->eval,
                                    "while_condition_undecided in iteration "
                                    "%llu",
                                    (unsigned long long)l->iteration),
                      elements);
    return rc;
}

/* Runs the condition; *out_any: some process goes on. */
static oc_status run_condition(loop *l, bool *out_any, oc_error *err)
{
    const oc__hlo_block *block = &l->op->regions[0]->block;
    *out_any = false;
    for (size_t p = 0; p < l->view.process_count; p++) {
        for (size_t i = 0; l->view.active[p] && i < l->state.count; i++) {
            oc__frame_set(&l->view, p, block->first_argument + i,
                          oc__value_retain(oc__bundle_row(&l->state, p)[i]));
        }
    }
    oc_status rc =
        oc__block_run(l->eval, &l->view, block, l->predicates.values, 1, err);
    for (size_t p = 0; rc == OC_OK && p < l->view.process_count; p++) {
        if (!l->view.active[p]) {
            continue;
        }
        oc__value **predicate = oc__bundle_row(&l->predicates, p);
        int64_t number = 0;
        bool decided = true;
        rc = read_scalar(l->op, *predicate, &number, &decided, err);
        if (rc == OC_OK) {
            l->flags[p] |= oc__value_sticky(*predicate);
            l->view.active[p] = decided && number != 0;
            *out_any = *out_any || l->view.active[p];
        }
        if (rc == OC_OK && !decided) {
            rc = stop_undecided(l, p, err);
        }
        oc__value_release(*predicate);
        *predicate = NULL;
    }
    return rc;
}

static oc_status run_body(loop *l, oc_error *err)
{
    const oc__hlo_block *block = &l->op->regions[1]->block;
    for (size_t p = 0; p < l->view.process_count; p++) {
        oc__value **state = oc__bundle_row(&l->state, p);
        for (size_t i = 0; l->view.active[p] && i < l->state.count; i++) {
            oc__frame_set(&l->view, p, block->first_argument + i, state[i]);
            state[i] = NULL;
        }
    }
    return oc__block_run(l->eval, &l->view, block, l->state.values, l->state.count,
                         err);
}

static oc_status run_loop(loop *l, oc_error *err)
{
    oc_status rc = OC_OK;
    for (;; l->iteration++) {
        bool any;
        rc = run_condition(l, &any, err);
        if (rc != OC_OK || !any) {
            break;
        }
        rc = run_body(l, err);
        if (rc != OC_OK) {
            break;
        }
    }
    if (rc == OC_LIMIT || rc == OC_DEADLINE) {
        oc__eval_place(l->eval, l->op, &rc, err);
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used,
                 "; iteration %llu of the loop in line %zu",
                 (unsigned long long)l->iteration, l->op->line);
    }
    for (size_t p = 0; rc == OC_OK && p < l->state.process_count; p++) {
        for (size_t i = 0; l->frame->active[p] && i < l->state.count; i++) {
            if (rc == OC_OK) {
                rc = oc__value_flag(&oc__bundle_row(&l->state, p)[i], l->flags[p], err);
            }
        }
    }
    return rc;
}

oc_status oc__run_while(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                        const oc__op_plan *plan, oc_error *err)
{
    if (op->region_count != 2 || op->result_count != op->operand_count ||
        op->regions[0]->block.argument_count != op->operand_count ||
        op->regions[1]->block.argument_count != op->operand_count) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: condition, body and results must have the %zu operands' "
                       "types",
                       op->name, op->operand_count);
    }
    loop l = {.eval = eval, .frame = frame, .view = *frame, .op = op};
    l.view.active = malloc(frame->process_count + 1);
    l.flags = calloc(frame->process_count + 1, 1);
    oc_status rc = OC_OK;
    if (!l.view.active || !l.flags) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a loop");
        goto done;
    }
    memcpy(l.view.active, frame->active, frame->process_count);
    rc = oc__bundle_make(frame, op->operand_count, &l.state, err);
    if (rc == OC_OK) {
        rc = oc__bundle_make(frame, 1, &l.predicates, err);
    }
    if (rc == OC_OK) {
        oc__bundle_take(&l.state, frame, op, plan, 0);
        rc = run_loop(&l, err);
    }
    if (rc == OC_OK) {
        oc__bundle_give(&l.state, frame, op);
    }
done:
    oc__bundle_release(&l.state);
    oc__bundle_release(&l.predicates);
    free(l.view.active);
    free(l.flags);
    return rc;
}

/* --- Shardy's manual computations ---------------------------------------------- */

static bool same_shape(const oc__hlo_type *a, const oc__hlo_type *b)
{
    return a->kind == OC__HLO_TENSOR && b->kind == OC__HLO_TENSOR &&
           a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* Whether the body takes and gives whole values: no axis divides a dimension. */
static bool is_whole(const oc__hlo_func *func, const oc__hlo_op *op,
                     const oc__hlo_block *block)
{
    const oc__hlo_op *last =
        block->op_count > 0 ? block->ops[block->op_count - 1] : NULL;
    bool whole = last && last->operand_count == op->result_count &&
                 block->argument_count == op->operand_count;
    for (size_t i = 0; whole && i < op->operand_count; i++) {
        whole = same_shape(func->value_types[block->first_argument + i],
                           func->value_types[op->operands[i]]);
    }
    for (size_t i = 0; whole && i < op->result_count; i++) {
        whole = same_shape(func->value_types[last->operands[i]], op->result_types[i]);
    }
    return whole;
}

/* The body runs on every device on its shards; where those are the values themselves it
 * means its operations. */
oc_status oc__run_manual(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                         const oc__op_plan *plan, oc_error *err)
{
    const oc__hlo_block *block = op->region_count == 1 ? &op->regions[0]->block : NULL;
    if (!block || !is_whole(frame->func, op, block)) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                       "%s: its body computes with shards of the values, which the "
                       "reference does not form; give it the partitioned program, "
                       "whose shapes are those of one device",
                       op->name);
    }
    oc__bundle args = {0}, results = {0};
    oc_status rc = oc__bundle_make(frame, op->operand_count, &args, err);
    if (rc == OC_OK) {
        rc = oc__bundle_make(frame, op->result_count, &results, err);
    }
    if (rc == OC_OK) {
        oc__bundle_take(&args, frame, op, plan, 0);
        for (size_t p = 0; p < frame->process_count; p++) {
            oc__value **row = oc__bundle_row(&args, p);
            for (size_t i = 0; frame->active[p] && i < args.count; i++) {
                oc__frame_set(frame, p, block->first_argument + i, row[i]);
                row[i] = NULL;
            }
        }
        rc = oc__block_run(eval, frame, block, results.values, results.count, err);
    }
    if (rc == OC_OK) {
        oc__bundle_give(&results, frame, op);
    }
    oc__bundle_release(&args);
    oc__bundle_release(&results);
    return rc;
}
