#include "reference/eval.h"

#include "base/clock.h"
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_STEPS = 64 }; /* the clock is read every so many steps */
#define DEFAULT_STEPS 100000000
#define DEFAULT_BYTES ((size_t)3 << 30)

/* --- limits and notes ---------------------------------------------------------- */

oc_status oc__eval_tick(oc__eval *eval, oc_error *err)
{
    if (eval->deadline > 0 && oc__now_s() > eval->deadline) {
        return OC_FAIL(err, OC_DEADLINE, OC_BOUNDARY_NUMERIC,
                       "the reference's time of %g s is up", eval->limits.deadline_s);
    }
    return OC_OK;
}

oc_status oc__eval_step(oc__eval *eval, oc_error *err)
{
    if (eval->steps >= eval->limits.max_steps) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_NUMERIC,
                       "%llu operations were executed, which is the limit",
                       (unsigned long long)eval->steps);
    }
    eval->steps++;
    return eval->steps % TICK_STEPS == 0 ? oc__eval_tick(eval, err) : OC_OK;
}

void oc__eval_add_note(oc__eval *eval, const oc__hlo_op *op, const char *rule,
                       uint64_t elements)
{
    oc__evaluation *e = eval->evaluation;
    for (size_t i = 0; i < e->note_count; i++) {
        oc__eval_note *note = &e->notes[i];
        if (note->line == op->line && strcmp(note->op, op->name) == 0 &&
            strcmp(note->rule, rule) == 0) {
            note->elements += elements;
            return;
        }
    }
    if (e->note_count == eval->note_capacity) {
        size_t capacity = 2 * eval->note_capacity + 8;
        oc__eval_note *larger = realloc(e->notes, capacity * sizeof *larger);
        if (!larger) {
            return; // the elements themselves still say that they are open
        }
        e->notes = larger;
        eval->note_capacity = capacity;
    }
    e->notes[e->note_count++] = (oc__eval_note){
        .rule = rule, .op = op->name, .line = op->line, .elements = elements};
}

const char *oc__eval_text(oc__eval *eval, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = size < 0 ? 0 : (size_t)size;
    used = used < sizeof text ? used : sizeof text - 1;
    const char *kept = oc__arena_text(eval->evaluation->texts, text, used);
    return kept ? kept : "unnamed";
}

/* --- errors -------------------------------------------------------------------- */

void oc__eval_place(const oc__eval *eval, const oc__hlo_op *op, oc_status *rc,
                    oc_error *err)
{
    if (*rc == OC_NOMEM && oc__planes_refused()) {
        *err = (oc_error){0};
        *rc = OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_NUMERIC,
                      "%s: more than %zu bytes of tensors would be alive, which is the "
                      "limit",
                      op->name, eval->limits.max_bytes);
    }
    size_t size = strlen(eval->module->file);
    if (strncmp(err->text, eval->module->file, size) == 0 && err->text[size] == ':') {
        return;
    }
    oc__error_prefix(err, "%s:%zu:%zu", eval->module->file, op->line, op->column);
}

/* --- the whole ----------------------------------------------------------------- */

void oc__evaluation_free(oc__evaluation *evaluation)
{
    if (!evaluation) {
        return;
    }
    size_t count = evaluation->process_count * evaluation->output_count;
    for (size_t i = 0; evaluation->outputs && i < count; i++) {
        oc__value_release(evaluation->outputs[i]);
    }
    free(evaluation->outputs);
    free(evaluation->notes);
    oc__arena_free(evaluation->texts);
    *evaluation = (oc__evaluation){0};
}

/* The arguments of main, as values. */
static oc_status read_inputs(const oc__hlo_func *main, const oc_tensor *inputs,
                             size_t input_count, oc__value **args, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < input_count; i++) {
        const oc__hlo_type *type = main->argument_types[i % main->body.argument_count];
        rc = type->kind == OC__HLO_TOKEN
                 ? oc__value_token(&args[i], err)
                 : oc__value_from_tensor(&inputs[i], type->quant, &args[i], err);
    }
    return rc;
}

static oc_status run_main(oc__eval *eval, const oc_tensor *inputs, size_t input_count,
                          oc_error *err)
{
    oc__evaluation *e = eval->evaluation;
    size_t processes = e->process_count;
    oc_status rc = OC_OK;
    // One more than needed: a size of 0 would make NULL an answer.
    bool *active = malloc(processes + 1);
    oc__value **args = calloc(input_count + 1, sizeof(oc__value *));
    e->output_count = eval->main->result_count;
    e->outputs = calloc(processes * e->output_count + 1, sizeof(oc__value *));
    if (!active || !args || !e->outputs) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for the inputs");
        goto done;
    }
    memset(active, true, processes);
    rc = read_inputs(eval->main, inputs, input_count, args, err);
    if (rc != OC_OK) {
        goto done;
    }
    oc__frame grid = {.func = eval->main, .process_count = processes, .active = active};
    rc = oc__func_run(eval, &grid, eval->main, args, eval->main->body.argument_count,
                      e->outputs, err);
done:
    for (size_t i = 0; args && i < input_count; i++) {
        oc__value_release(args[i]);
    }
    free(args);
    free(active);
    return rc;
}

static oc_status prepare(oc__eval *eval, size_t input_count, oc_error *err)
{
    size_t wanted;
    oc_status rc = oc__hlo_main(eval->module, &eval->main, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (eval->replicas == 0 || eval->partitions == 0 ||
        !oc__size_mul(eval->replicas, eval->partitions,
                      &eval->evaluation->process_count) ||
        !oc__size_mul(eval->evaluation->process_count, eval->main->body.argument_count,
                      &wanted) ||
        wanted != input_count) {
        return OC_FAIL(
            err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
            "%zu inputs for %zu replicas of %zu partitions of a program with "
            "%zu arguments",
            input_count, eval->replicas, eval->partitions,
            eval->main->body.argument_count);
    }
    eval->arena = oc__arena_make();
    eval->evaluation->texts = oc__arena_make();
    if (!eval->arena || !eval->evaluation->texts) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC,
                       "no memory for an evaluation");
    }
    return OC_OK;
}

oc_status oc__evaluate(const oc__hlo_module *module, size_t replicas, size_t partitions,
                       const oc_tensor *inputs, size_t input_count,
                       const oc__arith *arith, const oc__eval_limits *limits,
                       oc__evaluation *out_evaluation, oc_error *err)
{
    oc_error own = {0}; // places are put in front of messages, so there must be one
    oc__evaluation made = {0};
    oc__eval eval = {.module = module,
                     .replicas = replicas,
                     .partitions = partitions,
                     .arith = *arith,
                     .limits = *limits,
                     .evaluation = &made};
    double start = oc__now_s();
    *out_evaluation = (oc__evaluation){0};
    eval.limits.max_steps = limits->max_steps ? limits->max_steps : DEFAULT_STEPS;
    eval.limits.max_bytes = limits->max_bytes ? limits->max_bytes : DEFAULT_BYTES;
    eval.deadline = limits->deadline_s > 0 ? start + limits->deadline_s : 0;
    size_t alive = oc__planes_alive();
    size_t before = oc__planes_limit(eval.limits.max_bytes > SIZE_MAX - alive
                                         ? SIZE_MAX
                                         : eval.limits.max_bytes + alive);
    oc_status rc = prepare(&eval, input_count, err ? err : &own);
    if (rc == OC_OK) {
        rc = run_main(&eval, inputs, input_count, err ? err : &own);
    }
    oc__plan_release(&eval);
    oc__arena_free(eval.arena);
    (void)oc__planes_limit(before);
    made.steps = eval.steps;
    made.flops = eval.flops;
    made.seconds = oc__now_s() - start;
    if (rc != OC_OK) {
        oc__evaluation_free(&made);
        return rc;
    }
    *out_evaluation = made;
    return OC_OK;
}
