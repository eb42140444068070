#include "reference/sum.h"

/* Half an ulp of double, and a little room for the roundings of the bounds themselves.
 */
static const double own_unit = 0x1p-53;
static const double slack = 1 + 0x1p-40;

double oc__gamma(double n, double unit)
{
    double product = n * unit;
    return product < 1 ? product / (1 - product) : (double)INFINITY;
}

static bool is_small_float(oc_dtype dtype)
{
    return oc__dtype_is_float(dtype) && dtype != OC_F32 && dtype != OC_F64;
}

oc_dtype oc__sum_accumulator(const oc__arith *arith, oc_dtype operand, oc_dtype result)
{
    if (arith->narrow_accumulator && is_small_float(result)) {
        return result;
    }
    bool wide = operand == OC_F64 || operand == OC_C128;
    return wide ? OC_F64 : OC_F32;
}

void oc__sum_model_make(const oc__call *call, oc_dtype accumulator, oc_dtype result,
                        oc__sum_model *out_model)
{
    const oc__arith *arith = oc__call_arith(call);
    const oc__float_format *format = oc__float_format_of(accumulator);
    const oc__float_format *final = oc__float_format_of(result);
    if (result == OC_C64 || result == OC_C128) {
        result = result == OC_C64 ? OC_F32 : OC_F64;
    }
    *out_model = (oc__sum_model){
        .env = {.arith = arith,
                .op = call->op,
                .dtype = result,
                .from = accumulator,
                .figure_ulps = -1},
        .unit = oc__power_of_two(-format->precision),
        .tiny = oc__power_of_two(format->min_exponent),
        // 2^-1075 of f64 is no number; its neighbour is.
        .grain = fmax(ldexp(1, format->min_exponent - format->precision), 0x1p-1074),
        .overflow_from = format->overflow_from,
        .precision = format->precision,
        .least_grid = arith->flush ? format->min_exponent
                                   : format->min_exponent - format->precision + 1,
        .narrows =
            final->precision<format->precision, .widens = final->precision> format
                ->precision,
    };
}

void oc__sum_start(oc__sum *sum)
{
    *sum = (oc__sum){.grid = OC__ANY_GRID};
}

void oc__sum_add(oc__sum *sum, double m, double r, double s, uint8_t f)
{
    uint8_t class = oc__term_class(m, r);
    sum->flags |= (uint8_t)((f & OC__F_STICKY) | class);
    double size = fabs(m) + r;
    if (class || size == 0) {
        return;
    }
    sum->roundings += sum->total > 0;
    sum->value += m;
    sum->own += own_unit * fabs(sum->value);
    sum->total += size;
    sum->spread += r;
    sum->square += m * m;
    sum->variance += s * s;
    int grid = r > 0 ? OC__NO_GRID : oc__grid_of(m);
    sum->grid = grid < sum->grid ? grid : sum->grid;
}

static oc__ball undecided(const oc__sum_model *model, double value, uint8_t flags)
{
    return (oc__ball){.m = oc__float_round(model->env.dtype, value),
                      .r = (double)INFINITY,
                      .f = flags & OC__F_STICKY};
}

/* Infinities come out as the type has them: NaN in a type without. */
static oc__ball surely(const oc__sum_model *model, double value, uint8_t flags)
{
    return (oc__ball){.m = oc__float_round(model->env.dtype, value),
                      .f = flags & OC__F_STICKY};
}

/* What an order of the sum may lose to underflow: partial sums are exact below 2^emin
 * in IEEE arithmetic, products are not. */
static double underflow(const oc__sum_model *model, const oc__sum *sum)
{
    double each = model->env.arith->flush ? 2 * model->tiny
                  : sum->products         ? model->grain
                                          : 0;
    return fmin(sum->total, (sum->roundings + 1) * each);
}

/* Standard deviation of a device that adds in random order, its roundings independent
 * (numerics 2.4). */
static double deviation(const oc__sum_model *model, const oc__sum *sum)
{
    double n = sum->roundings + 1;
    double squared = sum->value * sum->value;
    double steps = n * squared / 3 + n * sum->square / 6 + squared;
    double variance = sum->variance + model->unit * model->unit / 3 * steps;
    if (model->narrows) {
        double unit =
            oc__power_of_two(-oc__float_format_of(model->env.dtype)->precision);
        variance += unit * unit / 3 * squared;
    }
    double lost = underflow(model, sum);
    return sqrt(variance + lost * lost);
}

static bool every_order_exact(const oc__sum_model *model, const oc__sum *sum)
{
    return sum->total == 0 ||
           (sum->spread == 0 && sum->grid >= model->least_grid &&
            sum->grid != OC__ANY_GRID && sum->total < model->overflow_from &&
            sum->total < oc__power_of_two(model->precision + sum->grid));
}

/* One rounding, or none: the sum of two numbers of a type is rounded right by way of
 * any type of twice its precision and two bits (Figueroa 1995), a sum of products is
 * not. A model that flushes may lose operands too, which the rounding of the result
 * does not know. */
static bool single_rounding(const oc__sum_model *model, const oc__sum *sum)
{
    double most = model->widens || (model->narrows && sum->products) ? 0 : 1;
    // Two products may overflow to either side before they meet.
    bool meet = sum->roundings == 0 || !sum->products;
    return sum->roundings <= most && !model->env.arith->flush &&
           (meet || sum->total < model->overflow_from);
}

static oc__ball finite_sum(const oc__sum_model *model, const oc__sum *sum)
{
    oc__ball out = {.f = sum->flags & OC__F_STICKY};
    if (every_order_exact(model, sum)) {
        out.m = oc__round_ball(&model->env, sum->value, 0, 0, &out.r);
        return out;
    }
    if (single_rounding(model, sum)) {
        double own = sum->spread > 0 ? sum->own : 0;
        out.m = oc__round_ball(&model->env, sum->value, own, sum->spread, &out.r);
        return out;
    }
    double gamma = oc__gamma(sum->roundings, model->unit);
    double device = gamma * sum->total + sum->spread + underflow(model, sum);
    if (!(sum->total + device < model->overflow_from)) {
        // No order overflows to the other side: twice what has the other sign.
        bool one_sign = sum->total - fabs(sum->value) + sum->own < model->overflow_from;
        double least = fabs(sum->value) - device - sum->own;
        return one_sign && least >= model->overflow_from
                   ? surely(model, copysign((double)INFINITY, sum->value), sum->flags)
                   : undecided(model, sum->value, sum->flags);
    }
    if (model->narrows) {
        out.m =
            oc__round_ball(&model->env, sum->value, sum->own, device * slack, &out.r);
    } else {
        out.m = oc__float_round(model->env.dtype, sum->value);
        out.r = (device + sum->own + fabs(sum->value - out.m)) * slack;
    }
    return out;
}

oc__ball oc__sum_finish(const oc__sum_model *model, const oc__sum *sum)
{
    uint8_t flags = sum->flags;
    uint8_t infinities = flags & (OC__TERM_PLUS_INF | OC__TERM_MINUS_INF);
    if ((flags & OC__TERM_NAN) ||
        infinities == (OC__TERM_PLUS_INF | OC__TERM_MINUS_INF)) {
        return surely(model, (double)NAN, flags);
    }
    double reach = (1 + oc__gamma(sum->roundings, model->unit)) * sum->total;
    if ((flags & OC__F_UNDECIDED) || (infinities && !(reach < model->overflow_from))) {
        return undecided(model, sum->value, flags);
    }
    if (infinities) {
        double sign = infinities == OC__TERM_PLUS_INF ? 1 : -1;
        return surely(model, sign * (double)INFINITY, flags);
    }
    oc__ball out = finite_sum(model, sum);
    if (out.m == 0) {
        out.f |= OC__F_ZERO_SIGN;
    }
    if (model->env.arith->sigma && out.r > 0) {
        out.s = deviation(model, sum);
    }
    return out;
}

/* The product of finite factors, of which none is exactly 0. */
static oc__ball finite_product(const oc__sum_model *model, const oc__factors *factors)
{
    oc__ball out = {.f = factors->flags & OC__F_STICKY};
    double n = factors->roundings;
    double gamma = oc__gamma(n, model->unit);
    // Every factor and `reach` itself was rounded once on the way.
    double own = 4 * (n + 1) * own_unit * factors->reach;
    double spread = factors->reach - fabs(factors->value);
    double device = gamma * factors->reach + fmax(spread, 0);
    bool underflows = factors->below < model->tiny;
    if (!(factors->above * (1 + gamma) < model->overflow_from)) {
        double least = fabs(factors->value) - device - own;
        return factors->below == 1 && least >= model->overflow_from
                   ? surely(model, copysign((double)INFINITY, factors->value),
                            factors->flags)
                   : undecided(model, factors->value, factors->flags);
    }
    bool points = spread <= own && factors->odd > 0;
    bool flush = model->env.arith->flush;
    if (points && !(flush && underflows) &&
        (n <= 1 ||
         (!underflows && factors->odd < oc__power_of_two(model->precision)))) {
        out.m = oc__round_ball(&model->env, factors->value, 0, 0, &out.r);
        return out;
    }
    if (underflows) {
        // What a partial product loses is multiplied by the factors that follow;
        // value's own partial products may lose as much.
        out.s = 2 * (n + 1) * (flush ? model->tiny : model->grain) * factors->above;
        device += out.s;
    }
    if (model->narrows) {
        out.m =
            oc__round_ball(&model->env, factors->value, own, device * slack, &out.r);
    } else {
        out.m = oc__float_round(model->env.dtype, factors->value);
        out.r = (device + own + fabs(factors->value - out.m)) * slack;
    }
    return out;
}

oc__ball oc__factors_finish(const oc__sum_model *model, const oc__factors *factors)
{
    uint8_t flags = factors->flags;
    bool infinite = flags & (OC__TERM_PLUS_INF | OC__TERM_MINUS_INF);
    if ((flags & OC__TERM_NAN) || (infinite && factors->zeros > 0)) {
        return surely(model, (double)NAN, flags);
    }
    bool overflows = !(factors->above < model->overflow_from);
    // An infinity may meet a partial product that is 0; a zero one that is infinite.
    if ((flags & OC__F_UNDECIDED) || (infinite && factors->below < model->tiny) ||
        (factors->zeros > 0 && overflows)) {
        return undecided(model, factors->value, flags);
    }
    if (infinite) {
        return surely(model, copysign((double)INFINITY, factors->value), flags);
    }
    oc__ball out =
        factors->zeros > 0 ? surely(model, 0, flags) : finite_product(model, factors);
    if (out.m == 0) {
        out.f |= OC__F_ZERO_SIGN;
    }
    if (model->env.arith->sigma && out.r > 0) {
        double unit = model->unit;
        double relative =
            factors->variance + unit * unit / 3 * (factors->roundings + 1);
        double s = hypot(out.s, fabs(factors->value) * sqrt(relative));
        // Where a factor's midpoint is 0 relative errors say nothing.
        bool known = factors->value != 0 && isfinite(s);
        out.s = known ? s : out.r < (double)INFINITY ? out.r : 0;
    }
    return out;
}
