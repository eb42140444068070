/* How devices read the operands of a dot: the algorithm that the program names, else
 * the model of arith.operands where the precision allows one (numerics 2.6). */
#include "reference/operand_model.h"

#include <stdlib.h>

/* --- what the program asks for --- */

static int precision_rank(const oc__hlo_attr *attr)
{
    static const char *const names[] = {"DEFAULT", "HIGH", "HIGHEST"};
    int rank = 0;
    for (int i = 0; attr && attr->text && i < 3; i++) {
        rank = strcmp(attr->text, names[i]) == 0 ? i : rank;
    }
    return rank;
}

/* The most that one of the operands asks for: 0 DEFAULT, 1 HIGH, 2 HIGHEST. */
static int wanted_precision(const oc__hlo_op *op)
{
    const oc__hlo_attr *config = oc__hlo_attr_get(op, "precision_config");
    int most = precision_rank(config);
    for (size_t i = 0; config && config->kind == OC__ATTR_ARRAY && i < config->count;
         i++) {
        int rank = precision_rank(config->items[i]);
        most = rank > most ? rank : most;
    }
    return most;
}

static const oc__reading as_they_are = {.parts = 1};

/* JAX reads HIGH as tf32 or three passes of bf16, HIGHEST as f32 (StableHLO issue 755),
 * which a device without f32 makes of six products. */
static const struct {
    oc__reading reading;
    int highest_precision;
} models[] = {
    [OC__OPERANDS_FULL] = {{.parts = 1}, 2},
    [OC__OPERANDS_TF32_RNE] = {{11, -126, 0x1.ffep127, false, 1}, 1},
    [OC__OPERANDS_TF32_RZ] = {{11, -126, (double)INFINITY, true, 1}, 1},
    [OC__OPERANDS_BF16_RNE] = {{8, -126, 0x1.ffp127, false, 1}, 0},
    [OC__OPERANDS_BF16_RZ] = {{8, -126, (double)INFINITY, true, 1}, 0},
    [OC__OPERANDS_BF16_X3] = {{8, -126, 0x1.ffp127, false, 2}, 1},
    [OC__OPERANDS_BF16_X3_RZ] = {{8, -126, (double)INFINITY, true, 2}, 1},
    [OC__OPERANDS_BF16_X6] = {{8, -126, 0x1.ffp127, false, 3}, 2},
    [OC__OPERANDS_BF16_X6_RZ] = {{8, -126, (double)INFINITY, true, 3}, 2},
};

static bool has_f32(const char *platform)
{
    return !platform || strcmp(platform, "cpu") == 0 || strcmp(platform, "cuda") == 0;
}

/* --- algorithms
 * ----------------------------------------------------------------------- */

static oc__reading reading_of(const oc__arith *arith, const oc__hlo_attr *type_attr,
                              oc_dtype operand, int64_t parts)
{
    const oc__hlo_type *type = type_attr ? type_attr->type : NULL;
    const oc__float_format *own = oc__float_format_of(operand);
    oc__reading reading = as_they_are;
    if (!type || !own) {
        return reading;
    }
    if (type->text && strcmp(type->text, "tf32") == 0) {
        reading = models[OC__OPERANDS_TF32_RNE].reading;
    } else if (oc__dtype_is_float(type->dtype)) {
        const oc__float_format *format = oc__float_format_of(type->dtype);
        reading = (oc__reading){.precision = format->precision,
                                .min_exponent = format->min_exponent,
                                .overflow_from = format->overflow_from};
    }
    // How an operand falls into parts is the device's, whoever asks for parts.
    if (parts > 1 && models[arith->operands].reading.truncates) {
        reading.truncates = true;
        reading.overflow_from = (double)INFINITY;
    }
    bool rounds = reading.precision > 0 && reading.precision < own->precision;
    reading.precision = rounds ? reading.precision : 0;
    reading.parts = rounds ? (size_t)parts : 1;
    return reading;
}

static int64_t entry_int(const oc__hlo_attr *algorithm, const char *name)
{
    const oc__hlo_attr *entry = oc__hlo_entry(algorithm, name);
    return entry ? entry->integer : 1;
}

static oc_status read_algorithm(oc__call *call, const oc__hlo_attr *algorithm,
                                oc_dtype lhs, oc_dtype rhs, oc__scheme *scheme,
                                oc_error *err)
{
    int64_t lhs_parts = entry_int(algorithm, "lhs_component_count");
    int64_t rhs_parts = entry_int(algorithm, "rhs_component_count");
    int64_t operations = entry_int(algorithm, "num_primitive_operations");
    if (lhs_parts < 1 || lhs_parts > OC__MAX_PARTS || rhs_parts != lhs_parts ||
        operations < 1 || operations > lhs_parts * rhs_parts) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "an algorithm of %lld and %lld components with %lld "
                            "operations is not known",
                            (long long)lhs_parts, (long long)rhs_parts,
                            (long long)operations);
    }
    const oc__arith *arith = oc__call_arith(call);
    scheme->lhs = reading_of(arith, oc__hlo_entry(algorithm, "lhs_precision_type"), lhs,
                             lhs_parts);
    scheme->rhs = reading_of(arith, oc__hlo_entry(algorithm, "rhs_precision_type"), rhs,
                             rhs_parts);
    scheme->all_pairs = operations == lhs_parts * rhs_parts;
    const oc__hlo_attr *accumulation = oc__hlo_entry(algorithm, "accumulation_type");
    if (accumulation && accumulation->type &&
        oc__dtype_is_float(accumulation->type->dtype)) {
        scheme->accumulator = accumulation->type->dtype;
    }
    const oc__hlo_attr *imprecise =
        oc__hlo_entry(algorithm, "allow_imprecise_accumulation");
    scheme->imprecise = imprecise && imprecise->integer;
    return OC_OK;
}

oc_status oc__scheme_make(oc__call *call, oc_dtype lhs, oc_dtype rhs, oc_dtype result,
                          oc__scheme *out_scheme, oc_error *err)
{
    const oc__arith *arith = oc__call_arith(call);
    bool wide = lhs == OC_F64 || lhs == OC_C128;
    *out_scheme = (oc__scheme){
        .lhs = as_they_are,
        .rhs = as_they_are,
        .accumulator = oc__sum_accumulator(arith, wide ? lhs : rhs, result)};
    const oc__hlo_attr *algorithm = oc__hlo_attr_get(call->op, "algorithm");
    if (algorithm && algorithm->kind == OC__ATTR_STRUCT) {
        return read_algorithm(call, algorithm, lhs, rhs, out_scheme, err);
    }
    bool single = (lhs == OC_F32 || lhs == OC_C64) && lhs == rhs;
    int highest = models[arith->operands].highest_precision;
    highest = highest == 2 && has_f32(arith->platform) ? 1 : highest;
    if (single && wanted_precision(call->op) <= highest) {
        out_scheme->lhs = models[arith->operands].reading;
        out_scheme->rhs = out_scheme->lhs;
    }
    return OC_OK;
}

bool oc__scheme_exact_products(const oc__scheme *scheme, oc_dtype lhs, oc_dtype rhs)
{
    int left = scheme->lhs.precision ? scheme->lhs.precision
                                     : oc__float_format_of(lhs)->precision;
    int right = scheme->rhs.precision ? scheme->rhs.precision
                                      : oc__float_format_of(rhs)->precision;
    return left + right <= oc__float_format_of(scheme->accumulator)->precision;
}

/* --- reading numbers
 * ------------------------------------------------------------------ */

static double truncate(double value, int precision, int min_exponent)
{
    int exponent;
    frexp(value, &exponent);
    int lowest = exponent - precision;
    int least = min_exponent - precision + 1;
    lowest = lowest < least ? least : lowest;
    return ldexp(trunc(ldexp(value, -lowest)), lowest);
}

static double read_part(const oc__reading *reading, double value)
{
    if (!isfinite(value)) {
        return value;
    }
    if (reading->truncates) {
        return truncate(value, reading->precision, reading->min_exponent);
    }
    double smallest = oc__power_of_two(reading->min_exponent);
    double magic = oc__power_of_two(reading->min_exponent - reading->precision + 53);
    return oc__float_round_ieee(value, reading->precision, smallest, magic,
                                reading->overflow_from);
}

/* How far what is read of a ball lies from what is read of its midpoint. One part: both
 * ends are read, since reading is monotone; 0 where they are read alike, a step of the
 * narrow type where they are not. More parts: the products that are left out change
 * with how the parts fall. */
static double read_radius(const oc__reading *reading, double m, double r, double read)
{
    if (r == 0 || !(r < (double)INFINITY)) {
        return r;
    }
    if (reading->parts == 1) {
        double low = read_part(reading, nextafter(m - r, -(double)INFINITY));
        double high = read_part(reading, nextafter(m + r, (double)INFINITY));
        bool same = low == read && high == read;
        double step = fmax(read - low, high - read);
        return same ? 0 : isfinite(read) ? step : (double)INFINITY;
    }
    int bits = reading->precision * (int)reading->parts;
    double unit = oc__power_of_two(-bits) * (reading->truncates ? 2 : 1);
    double grain = oc__power_of_two(reading->min_exponent - reading->precision + 1);
    return r + 34 * unit * (fabs(m) + r) + 2 * grain;
}

/* Parts of what is or may round to an infinity: the device's rest is inf - inf, or it
 * takes the largest number first, or leaves the rest out; nothing says which. */
static bool parts_unknown(const oc__reading *reading, double m, double r)
{
    return reading->parts > 1 && fabs(m) + r >= reading->overflow_from;
}

static bool any_unknown(const oc__reading *reading, const double *m, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) {
        any = parts_unknown(reading, m[i], 0);
    }
    return any;
}

static void read_numbers(const oc__reading *reading, const double *m, const double *r,
                         size_t count, double *const *parts, double *sum,
                         double *radius)
{
    for (size_t i = 0; i < count; i++) {
        double rest = m[i], all = 0;
        for (size_t k = 0; k < reading->parts; k++) {
            double part = read_part(reading, rest);
            parts[k][i] = part;
            all += part;
            rest = isfinite(part) ? rest - part : 0;
        }
        sum[i] = all;
        if (radius) {
            double ball = r ? r[i] : 0;
            radius[i] = parts_unknown(reading, m[i], ball)
                            ? (double)INFINITY
                            : read_radius(reading, m[i], ball, all);
        }
    }
}

oc_status oc__operand_read(const oc__reading *reading, const double *m, const double *r,
                           const double *s, size_t count, oc__operand *out_operand,
                           oc_error *err)
{
    oc__operand *o = out_operand;
    *o = (oc__operand){.m = m, .r = r, .s = s, .parts = {m}, .part_count = 1};
    if (reading->precision == 0) {
        return OC_OK;
    }
    // One part is the sum itself, and as far off as its radius says.
    bool single = reading->parts == 1;
    bool balls = r || any_unknown(reading, m, count);
    size_t wanted = reading->parts + !single + balls;
    for (size_t k = 0; k < wanted; k++) {
        o->own[k] = malloc((count + 1) * sizeof(double));
        if (!o->own[k]) {
            oc__operand_free(o);
            return oc__no_memory(err);
        }
    }
    double *sum = o->own[single ? 0 : reading->parts];
    double *radius = balls ? o->own[wanted - 1] : NULL;
    read_numbers(reading, m, r, count, o->own, sum, radius);
    o->m = sum;
    o->r = radius;
    o->s = s && single ? radius : s;
    o->part_count = reading->parts;
    for (size_t k = 0; k < reading->parts; k++) {
        o->parts[k] = o->own[k];
    }
    return OC_OK;
}

void oc__operand_free(oc__operand *operand)
{
    for (size_t k = 0; k < sizeof operand->own / sizeof *operand->own; k++) {
        free(operand->own[k]);
    }
    *operand = (oc__operand){0};
}
