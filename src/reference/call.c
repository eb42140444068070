#include "reference/eval.h"

#include <stdarg.h>
#include <stdio.h>

const oc__arith *oc__call_arith(const oc__call *call)
{
    return &call->eval->arith;
}

const oc__hlo_module *oc__call_module(const oc__call *call)
{
    return call->eval->module;
}

const oc__hlo_op *oc__call_producer(const oc__call *call, size_t index)
{
    return call->frame->plan->producers[call->op->operands[index]];
}

bool oc__call_contractible(const oc__call *call)
{
    return call->frame->plan->feeds_add[call->op->first_result];
}

const oc__hlo_type *oc__call_result_type(const oc__call *call, size_t index)
{
    return call->op->result_types[index];
}

bool oc__call_batched(const oc__call *call)
{
    return call->frame->batch > 0;
}

void oc__call_note(oc__call *call, const char *rule, uint64_t elements)
{
    oc__eval_add_note(call->eval, call->op, rule, elements);
}

void oc__call_flops(oc__call *call, double flops)
{
    call->eval->flops += flops;
}

oc_status oc__call_tick(oc__call *call, oc_error *err)
{
    return oc__eval_tick(call->eval, err);
}

void oc__call_fail(oc__call *call, oc_error *err, oc_status status, const char *format,
                   ...)
{
    char text[OC_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
    oc__ignore(OC_FAIL(err, status,
                       status == OC_PARSE ? OC_BOUNDARY_INPUT : OC_BOUNDARY_NUMERIC,
                       "%s: %s", call->op->name, text));
}
