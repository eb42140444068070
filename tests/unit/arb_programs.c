#include "arb_programs.h"

#include "stablehlo/parse.h"
#include "tensor/float_format.h"

#include <stdio.h>

const integer integers[INTEGER_TYPES] = {
    {OC_S8, "i8", 8, true},      {OC_S16, "i16", 16, true},
    {OC_S32, "i32", 32, true},   {OC_S64, "i64", 64, true},
    {OC_U8, "ui8", 8, false},    {OC_U16, "ui16", 16, false},
    {OC_U32, "ui32", 32, false}, {OC_U64, "ui64", 64, false}};

program run_text(const char *text, const oc_tensor *inputs, size_t input_count,
                 const oc__arith *arith)
{
    oc_error err = {0};
    program p = {0};
    if (oc__hlo_parse(text, strlen(text), "test", &p.module, &err) != OC_OK ||
        oc__evaluate(p.module, 1, 1, inputs, input_count, arith, &(oc__eval_limits){0},
                     &p.evaluation, &err) != OC_OK) {
        fail_msg("%s\n%s", err.text, text);
    }
    return p;
}

program run_typed(const char *a, const char *b, const char *text,
                  const oc_tensor *inputs, size_t input_count)
{
    char whole[4096];
    int size = snprintf(whole, sizeof whole,
                        "!a = tensor<%dx%s>\n!b = tensor<%dx%s>\n"
                        "!p = tensor<%dxi1>\n%s",
                        COUNT, a, COUNT, b, COUNT, text);
    assert_in_range(size, 1, sizeof whole - 1);
    return run_text(whole, inputs, input_count, &(oc__arith){0});
}

oc_tensor tensor_of(oc_dtype dtype, const int64_t *dims, size_t rank)
{
    oc_tensor made;
    oc_error err = {0};
    assert_int_equal(oc_tensor_make(dtype, dims, rank, &made, &err), OC_OK);
    return made;
}

oc_tensor vector_of(oc_dtype dtype)
{
    const int64_t dims[1] = {COUNT};
    return tensor_of(dtype, dims, 1);
}

void store(oc_tensor *vector, size_t index, double number)
{
    size_t size = oc_dtype_host_bits(vector->dtype) / 8;
    oc__float_encode_array(vector->dtype, &number, 1,
                           (char *)vector->data + index * size);
}

ball element_of(const oc__value *value, size_t index)
{
    return (ball){oc__m(value)[index], value->r ? oc__r(value)[index] : 0,
                  (uint8_t)flags_of(value, index)};
}

unsigned flags_of(const oc__value *value, size_t index)
{
    return value->f ? oc__f(value)[index] : 0;
}
