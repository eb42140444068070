/* Quantized element types. */
#include "stablehlo/parser_inner.h"

#include "tensor/dtype_names.h"

#include <string.h>

static bool quant_storage(oc__parser *p, oc__hlo_quant *quant)
{
    char name[16] = "ui";
    const oc__token *token = &p->token;
    bool is_unsigned = token->size > 1 && *token->at == 'u' && token->at[1] != 'i';
    if (token->kind != OC__TOKEN_BARE || token->size >= sizeof name - 2) {
        return oc__parse_expected(p, "a storage type (i8, u8, i4, ...)");
    }
    memcpy(name + (is_unsigned ? 2 : 0), token->at + is_unsigned,
           token->size - is_unsigned);
    size_t size = token->size + is_unsigned;
    quant->storage = oc__dtype_from_hlo(name, size);
    int bits = 0;
    for (const char *digit = name; digit < name + size; digit++) {
        bits = *digit >= '0' && *digit <= '9' ? bits * 10 + (*digit - '0') : 0;
    }
    bool is_signed = name[0] == 'i';
    if (quant->storage == OC_DTYPE_INVALID || bits < 2 || bits > 32 ||
        (!is_signed && name[0] != 'u')) {
        return oc__parse_expected(p, "a storage type (i8, u8, i4, ...)");
    }
    int64_t least = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t most = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    quant->storage_min = least;
    quant->storage_max = most;
    if (!oc__parse_next(p) || !oc__accept(p, "<")) {
        return p->err->status == OC_OK;
    }
    const char *at = p->token.at;
    if (!oc__parse_integer(p, &quant->storage_min) || !oc__expect(p, ":") ||
        !oc__parse_integer(p, &quant->storage_max) || !oc__expect(p, ">")) {
        return false;
    }
    if (quant->storage_min < least || quant->storage_max > most ||
        quant->storage_min >= quant->storage_max) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "the storage range must lie within %lld:%lld",
                              (long long)least, (long long)most);
    }
    return true;
}

/* 0.5 or 0.5:-20 */
static bool quant_scale(oc__parser *p, const oc__hlo_quant *quant, double *out_scale,
                        int64_t *out_zero_point)
{
    oc__literal literal;
    uint64_t bits;
    const char *at = p->token.at;
    if (p->token.kind != OC__TOKEN_FLOAT) {
        return oc__parse_expected(p, "a scale (a positive number with a point)");
    }
    oc__literal_scan(at, p->end, &literal);
    oc__literal_float(&literal, OC_F64, &bits);
    memcpy(out_scale, &bits, sizeof bits);
    *out_zero_point = 0;
    if (!(*out_scale > 0) || *out_scale * 0 != 0) {
        return oc__parse_fail(p, OC_PARSE, at, "a scale must be positive and finite");
    }
    if (!oc__parse_next(p) || !oc__accept(p, ":")) {
        return p->err->status == OC_OK;
    }
    at = p->token.at;
    if (!oc__parse_integer(p, out_zero_point)) {
        return false;
    }
    if (*out_zero_point < quant->storage_min || *out_zero_point > quant->storage_max) {
        return oc__parse_fail(
            p, OC_PARSE, at, "expected a zero point within the storage range %lld:%lld",
            (long long)quant->storage_min, (long long)quant->storage_max);
    }
    return true;
}

static bool quant_scales(oc__parser *p, oc__hlo_quant *quant)
{
    double *scales = NULL;
    int64_t *zero_points = NULL;
    bool list = quant->dimension >= 0;
    if (list && !oc__expect(p, "{")) {
        return false;
    }
    do {
        scales = oc__list_grow(p, scales, quant->count, sizeof *scales);
        zero_points = oc__list_grow(p, zero_points, quant->count, sizeof *zero_points);
        if (!scales || !zero_points ||
            !quant_scale(p, quant, &scales[quant->count], &zero_points[quant->count])) {
            return false;
        }
        quant->count++;
    } while (list && oc__accept(p, ","));
    quant->scales = scales;
    quant->zero_points = zero_points;
    return !list || oc__expect(p, "}");
}

bool oc__quant_type(oc__parser *p, const oc__hlo_type **out_type)
{
    oc__hlo_type *type = oc__make_type(p, OC__HLO_SCALAR);
    oc__hlo_quant *quant = oc__parse_take(p, 1, sizeof *quant);
    const oc__hlo_type *expressed;
    if (!type || !quant || !oc__expect(p, "<") || !quant_storage(p, quant) ||
        !oc__expect(p, ":")) {
        return false;
    }
    const char *at = p->token.at;
    if (!oc__parse_type(p, &expressed)) {
        return false;
    }
    if (expressed->kind != OC__HLO_SCALAR || expressed->text[0] == 'i' ||
        expressed->text[0] == 'u' || expressed->dtype == OC_DTYPE_INVALID) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "expected a float type as the expressed type, found '%s'",
                              expressed->text);
    }
    quant->expressed = expressed->dtype;
    quant->dimension = -1;
    if (oc__accept(p, ":")) {
        if (oc__token_is(p, "{")) {
            return oc__parse_fail(p, OC_PARSE, p->token.at,
                                  "onchip does not read sub-channel quantization");
        }
        at = p->token.at;
        if (!oc__parse_integer(p, &quant->dimension)) {
            return false;
        }
        if (quant->dimension < 0) {
            return oc__parse_fail(p, OC_PARSE, at, "a dimension cannot be negative");
        }
    }
    if (!oc__expect(p, ",") || !quant_scales(p, quant)) {
        return false;
    }
    type->dtype = quant->storage;
    type->quant = quant;
    *out_type = type;
    return oc__expect(p, ">");
}
