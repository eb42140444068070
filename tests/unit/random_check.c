#include "random_check.h"

#include "random_device.h"

#include "numeric/judge.h"
#include "stablehlo/parse.h"
#include "tensor/float_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    random_program program;
    double inputs[RANDOM_MAX_ARGUMENTS][RANDOM_MAX_ELEMENTS];
    double outputs[RANDOM_MAX_OUTPUTS][RANDOM_MAX_ELEMENTS];
    double steps[RANDOM_MAX_OUTPUTS][RANDOM_MAX_ELEMENTS]; /* of the text */
    oc_tensor in[RANDOM_MAX_ARGUMENTS], out[RANDOM_MAX_OUTPUTS];
    oc_tensor step[RANDOM_MAX_OUTPUTS];
    char text[RANDOM_MAX_TEXT];
    random_device device;
    oc__hlo_module *module;
    oc__judgement_of_program judgement;
} check;

static bool complain(const check *c, char *message, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool complain(const check *c, char *message, const char *format, ...)
{
    char why[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    size_t used = (size_t)snprintf(
        message, RANDOM_MESSAGE, "%s\ndevice: contracts %d, narrow %d, operands %d\n%s",
        why, c->device.contracts, c->device.narrow, c->device.operands, c->text);
    for (size_t k = 0; k < c->program.argument_count; k++) {
        for (size_t i = 0; i < random_node_count(&c->program.nodes[k]); i++) {
            if (used < RANDOM_MESSAGE) {
                used += (size_t)snprintf(message + used, RANDOM_MESSAGE - used, "%s%a",
                                         i ? " " : "\n", c->inputs[k][i]);
            }
        }
    }
    return false;
}

static void *copy_of(const node *of, const double *numbers)
{
    size_t count = random_node_count(of);
    unsigned char *bytes = calloc(count, 8);
    if (!bytes) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        if (of->dtype == OC_PRED) {
            bytes[i] = numbers[i] != 0;
        } else if (of->dtype == OC_S32) {
            int32_t whole = (int32_t)numbers[i];
            memcpy(bytes + 4 * i, &whole, sizeof whole);
        } else {
            size_t size = oc_dtype_host_bits(of->dtype) / 8;
            oc__float_encode_array(of->dtype, &numbers[i], 1, bytes + i * size);
        }
    }
    return bytes;
}

static oc_tensor tensor_of(const node *of, const double *numbers)
{
    oc_tensor made;
    oc_error err = {0};
    if (oc_tensor_make(of->dtype, of->dims, of->rank, &made, &err) != OC_OK) {
        abort();
    }
    void *bytes = copy_of(of, numbers);
    memcpy(made.data, bytes, made.size_bytes);
    free(bytes);
    return made;
}

static void prepare(dice *from, check *c)
{
    random_program_make(from, &c->program);
    random_program_print(&c->program, c->text);
    random_program_inputs(from, &c->program, c->inputs);
    bool reads_less = dice_one_in(from, 8);
    c->device = (random_device){
        .dice = from,
        .contracts = dice_one_in(from, 2),
        .narrow = dice_one_in(from, 3),
        .operands =
            reads_less
                ? (oc__operand_model)(1 + dice_below(from, OC__OPERANDS_BF16_X6_RZ))
                : OC__OPERANDS_FULL};
    random_device_run(&c->device, &c->program, c->inputs, c->outputs);
    const random_device text = {.dice = from, .text = true};
    random_device_run(&text, &c->program, c->inputs, c->steps);
    for (size_t k = 0; k < c->program.argument_count; k++) {
        c->in[k] = tensor_of(&c->program.nodes[k], c->inputs[k]);
    }
    for (size_t k = 0; k < c->program.output_count; k++) {
        const node *of = &c->program.nodes[c->program.outputs[k]];
        c->out[k] = tensor_of(of, c->outputs[k]);
        c->step[k] = tensor_of(of, c->steps[k]);
    }
}

/* Only operations whose midpoint is the text's step bit for bit. */
static bool is_plain(const random_program *p, size_t number)
{
    const node *of = &p->nodes[number];
    bool rounds = of->op == DOT || of->op == CUMULATE ||
                  (of->op == REDUCE && (of->which == ADD || of->which == MULTIPLY) &&
                   of->dtype != OC_S32) ||
                  (of->op == UNARY && random_unaries[of->which].by_figure);
    for (size_t k = 0; k < of->operand_count && !rounds; k++) {
        rounds = !is_plain(p, of->operands[k]);
    }
    return !rounds;
}

static bool check_midpoints(const check *c, size_t output, random_tally *tally,
                            char *message)
{
    const oc__value *want = c->judgement.evaluation.outputs[output];
    size_t number = c->program.outputs[output];
    if (!is_plain(&c->program, number) || !oc__dtype_is_float(want->dtype)) {
        return true;
    }
    for (size_t i = 0; i < want->count; i++) {
        double m = oc__m(want)[i], step = c->steps[output][i];
        uint8_t flags = want->f ? oc__f(want)[i] : 0;
        bool same = m == step || (isnan(m) && isnan(step));
        // What is open, or is not known, has no value that the text gives.
        bool known = !(flags & OC__F_OPEN) && !(want->r && isinf(oc__r(want)[i]));
        tally->exact_midpoints += known;
        if (known && !same) {
            return complain(c, message, "output %zu, element %zu: midpoint %a, text %a",
                            output, i, m, step);
        }
    }
    return true;
}

static bool check_steps(const check *c, size_t output, char *message)
{
    oc__ladder ladder = {0};
    oc_error err = {0};
    if (oc__ladder_judge(&c->step[output], c->judgement.evaluation.outputs[output],
                         &ladder, &err) != OC_OK) {
        abort();
    }
    bool inside = ladder.counts[OC__REFUTED] == 0;
    if (!inside) {
        complain(c, message,
                 "the text's own steps are refuted: output %zu, element %zu is %a, "
                 "ball %a +- %a",
                 output, ladder.worst, ladder.worst_got, ladder.worst_want,
                 ladder.worst_radius);
    }
    oc__ladder_free(&ladder);
    return inside;
}

static void count(const check *c, random_tally *tally)
{
    const oc__judgement_of_program *j = &c->judgement;
    tally->programs++;
    tally->passed += j->verdict == OC_PASS;
    tally->unknown += j->verdict == OC_UNKNOWN;
    tally->outputs += j->output_count;
    for (size_t i = 0; i < j->output_count; i++) {
        const uint64_t *counts = j->outputs[i].ladder.counts;
        tally->with_model += j->outputs[i].model != NULL;
        tally->elements += j->outputs[i].ladder.count;
        tally->consistent += counts[OC__CONSISTENT_EXACT] + counts[OC__CONSISTENT_HARD];
        tally->undecided += counts[OC__UNDECIDED];
        tally->suspect += counts[OC__SUSPECT];
        tally->loose += counts[OC__LOOSE];
        tally->open += counts[OC__NOT_JUDGED];
    }
}

static bool judge(check *c, random_tally *tally, char *message)
{
    oc_error err = {0};
    const oc__judge_options options = {0};
    const random_program *p = &c->program;
    if (oc__hlo_parse(c->text, strlen(c->text), "random", &c->module, &err) != OC_OK) {
        return complain(c, message, "%s", err.text);
    }
    if (oc__judge_program(c->module, 1, 1, c->in, p->argument_count, c->out,
                          p->output_count, &options, &c->judgement, &err) != OC_OK) {
        return complain(c, message, "%s", err.text);
    }
    if (c->judgement.verdict == OC_FAIL || !c->judgement.evaluated) {
        return complain(c, message, "a conforming device is judged %s: %s",
                        c->judgement.reason, c->judgement.detail);
    }
    for (size_t i = 0; i < p->output_count; i++) {
        if (!check_steps(c, i, message) || !check_midpoints(c, i, tally, message)) {
            return false;
        }
    }
    count(c, tally);
    return true;
}

bool random_check(dice *from, random_tally *tally, char message[RANDOM_MESSAGE])
{
    check *c = calloc(1, sizeof *c);
    if (!c) {
        abort();
    }
    prepare(from, c);
    bool right = judge(c, tally, message);
    for (size_t k = 0; k < RANDOM_MAX_ARGUMENTS; k++) {
        oc_tensor_free(&c->in[k]);
    }
    for (size_t k = 0; k < RANDOM_MAX_OUTPUTS; k++) {
        oc_tensor_free(&c->out[k]);
        oc_tensor_free(&c->step[k]);
    }
    oc__judgement_free(&c->judgement);
    oc__hlo_module_free(c->module);
    free(c);
    return right;
}
