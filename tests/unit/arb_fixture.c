#include "arb_fixture.h"

#include <float.h>

const type types[TYPES] = {
    [F32] = {"f32", FLT_MAX, OC_F32, 24, -126, true},
    [F64] = {"f64", DBL_MAX, OC_F64, 53, -1022, true},
    [BF16] = {"bf16", 0x1.fep127, OC_BF16, 8, -126, true},
    [F16] = {"f16", 65504, OC_F16, 11, -14, true},
    [F8E5M2] = {"f8E5M2", 57344, OC_F8E5M2, 3, -14, true},
    [F8E4M3FN] = {"f8E4M3FN", 448, OC_F8E4M3FN, 4, -6, false},
    [F8E4M3FNUZ] = {"f8E4M3FNUZ", 240, OC_F8E4M3FNUZ, 4, -7, false},
    [F8E3M4] = {"f8E3M4", 15.5, OC_F8E3M4, 5, -2, true},
};

/* --- random numbers --- */

/* Between two exponents, with `bits` bits of significand. */
static double of_exponent(dice *from, int low, int high, int bits)
{
    int exponent = low + (int)dice_below(from, (size_t)high - (size_t)low + 1);
    uint64_t significand = (dice_bits(from) >> (64 - bits)) | (uint64_t)1 << (bits - 1);
    double x = ldexp((double)significand, exponent - bits + 1);
    return dice_bits(from) & 1 ? -x : x;
}

static double special_number(dice *from, const type *of)
{
    double smallest = ldexp(1, of->min_exponent - of->precision + 1);
    double normal = ldexp(1, of->min_exponent), ulp = ldexp(1, 1 - of->precision);
    const double some[] = {0,
                           -0.0,
                           1,
                           -1,
                           smallest,
                           -smallest,
                           normal,
                           normal - smallest,
                           -normal,
                           of->max_finite,
                           -of->max_finite,
                           1 + ulp,
                           1 - ulp / 2,
                           -1 - ulp,
                           0.5,
                           1.5,
                           -2.5,
                           (double)INFINITY,
                           -(double)INFINITY,
                           (double)NAN};
    double x = some[dice_below(from, sizeof some / sizeof *some)];
    if (!of->has_infinity && isinf(x)) {
        x = (double)NAN;
    }
    return of->dtype == OC_F8E4M3FNUZ && x == 0 ? 0 : x;
}

double random_number(dice *from, const type *of, bool tame)
{
    int p = of->precision, low = of->min_exponent;
    int high = ilogb(of->max_finite);
    int some_low = low > -8 ? low : -8, some_high = high < 8 ? high : 7;
    double x;
    do {
        switch (dice_below(from, 16)) {
        case 0:
        case 1: x = special_number(from, of); break;
        case 2:
        case 3: x = (double)dice_below(from, 129) / 8 - 8; break;
        case 4:
        case 5: x = of_exponent(from, low, high, p); break;
        case 6:
            x = of_exponent(from, low, high, 1 + (int)dice_below(from, (size_t)p));
            break;
        case 7: x = of_exponent(from, low - p + 2, low, 1); break;
        case 8: // subnormal
            x = ldexp((double)(dice_bits(from) >> (65 - p)), low - p + 1);
            break;
        case 9: x = of_exponent(from, high - 1, high, p); break;
        default: x = of_exponent(from, some_low, some_high, p); break;
        }
    } while (fabs(x) > of->max_finite && !isinf(x));
    if (tame && !(fabs(x) <= 0x1p8)) {
        x = dice_unit(from);
    }
    arf_t real;
    arf_init(real);
    arf_set_d(real, x);
    // Halves and eighths may be no numbers of a small type.
    x = isfinite(x) && x != 0 ? round_real(of, real, ARF_RND_DOWN) : x;
    arf_clear(real);
    return x;
}

/* --- balls --- */

ball random_ball(dice *from, const type *of, bool tame)
{
    ball x = {.m = random_number(from, of, tame)};
    double size = fabs(x.m), ulp = ldexp(1, 1 - of->precision);
    switch (dice_below(from, 12)) {
    case 0: x.r = size * ulp * dice_unit(from); break;
    case 1: x.r = size * ulp * (double)(1 + dice_below(from, 64)); break;
    case 2: x.r = ldexp(size, -(int)dice_below(from, 60)); break;
    case 3: x.r = size * dice_unit(from); break;
    case 4: x.r = size * dice_unit(from) * 0x1p6; break;
    case 5: x.r = ldexp(dice_unit(from), of->min_exponent - of->precision + 2); break;
    case 6: x.r = ldexp(dice_unit(from), (int)dice_below(from, 12) - 8); break;
    case 7: x.r = dice_one_in(from, 4) ? (double)INFINITY : size * 0x1p-3; break;
    default: break;
    }
    if (!isfinite(x.m) && x.r < (double)INFINITY) {
        x.r = 0;
    }
    if (!(size + x.r < of->max_finite) && x.r > 0) {
        x.r = (double)INFINITY;
    }
    if (x.m == 0 && (x.r > 0 || dice_one_in(from, 3))) {
        x.f = OC__F_ZERO_SIGN;
    }
    return x;
}

bool ball_holds(ball x, double number)
{
    if (!(x.r < (double)INFINITY)) {
        return true;
    }
    if (isnan(x.m) || isnan(number)) {
        return isnan(x.m) && isnan(number);
    }
    if (isinf(x.m) || isinf(number)) {
        return x.m == number;
    }
    // |number - m| <= r, the difference exact: high + low (Knuth's TwoSum), scaled
    // where it could overflow.
    double scale = fmax(fabs(number), fabs(x.m)) < 0x1p1020 ? 1 : 0.25;
    double a = number * scale, b = -x.m * scale, r = x.r * scale;
    double high = a + b, part = high - a;
    double low = (a - (high - part)) + (b - part);
    double size = fabs(high), rest = high < 0 ? -low : low;
    return size < r || (size == r && rest <= 0);
}

static double number_near(dice *from, const type *of, double x)
{
    arf_t real;
    arf_init(real);
    arf_set_d(real, x);
    arf_rnd_t direction = dice_one_in(from, 2) ? ARF_RND_FLOOR : ARF_RND_CEIL;
    double near = isfinite(x) && x != 0 ? round_real(of, real, direction) : x;
    arf_clear(real);
    return near;
}

double random_inside(dice *from, const type *of, ball x, bool numbers)
{
    if (!(x.r < (double)INFINITY)) {
        return random_number(from, of, false);
    }
    if (x.r == 0) {
        bool either = x.m == 0 && (x.f & OC__F_ZERO_SIGN) && dice_one_in(from, 2);
        return either ? -x.m : x.m;
    }
    double y = x.m;
    switch (dice_below(from, 5)) {
    case 0: y = x.m - x.r; break;
    case 1: y = x.m + x.r; break;
    case 2: y = dice_one_in(from, 2) ? 0 : -0.0; break;
    case 3: y = x.m + x.r * (2 * dice_unit(from) - 1); break;
    default: break;
    }
    if (numbers || dice_one_in(from, 2)) {
        y = number_near(from, of, y);
    }
    // An end that was rounded outward.
    y = ball_holds(x, y) ? y : nextafter(y, x.m);
    y = numbers ? number_near(from, of, y) : y;
    return ball_holds(x, y) ? y : x.m;
}

const char *ball_refuses(ball x, double got)
{
    if (!ball_holds(x, got)) {
        return "is outside";
    }
    bool fixed = x.m == 0 && x.r == 0 && !(x.f & OC__F_ZERO_SIGN);
    return fixed && signbit(x.m) != signbit(got) ? "has the other sign" : NULL;
}

/* --- roundings --- */

double round_real(const type *to, const arf_t x, arf_rnd_t direction)
{
    if (arf_is_special(x)) {
        return arf_get_d(x, ARF_RND_NEAR);
    }
    bool negative = arf_sgn(x) < 0;
    bool near = direction == ARF_RND_NEAR;
    bool outward = direction == ARF_RND_UP ||
                   direction == (negative ? ARF_RND_FLOOR : ARF_RND_CEIL);
    // 2^exponent <= |x|, but for what is far outside of every type.
    slong bound = arf_abs_bound_lt_2exp_si(x), far = 1 << 20;
    slong exponent = (bound < -far ? -far : bound > far ? far : bound) - 1;
    slong below = to->min_exponent - exponent;
    slong bits = to->precision - (below > 0 ? below : 0);
    double magnitude;
    if (bits < 1) {
        bool past_half = bits == 0 && arf_cmpabs_2exp_si(x, exponent) > 0;
        double smallest = ldexp(1, to->min_exponent - to->precision + 1);
        magnitude = outward || (near && past_half) ? smallest : 0;
    } else {
        arf_t rounded;
        arf_init(rounded);
        arf_set_round(rounded, x, bits, direction);
        arf_abs(rounded, rounded);
        bool past = arf_cmp_d(rounded, to->max_finite) > 0;
        double over = to->has_infinity ? (double)INFINITY : (double)NAN;
        magnitude = !past             ? arf_get_d(rounded, ARF_RND_NEAR)
                    : near || outward ? over
                                      : to->max_finite;
        arf_clear(rounded);
    }
    bool lone_zero = to->dtype == OC_F8E4M3FNUZ && magnitude == 0;
    return negative && !lone_zero ? -magnitude : magnitude;
}

bool round_enclosed(const type *to, const arb_t x, double *out)
{
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, x, 4096);
    double low = round_real(to, end, ARF_RND_NEAR);
    arb_get_ubound_arf(end, x, 4096);
    double high = round_real(to, end, ARF_RND_NEAR);
    arf_clear(end);
    *out = high;
    return low == high || (isnan(low) && isnan(high));
}

double ulp_at(const type *of, double x)
{
    int exponent = x == 0 ? of->min_exponent : ilogb(x);
    int cut = exponent < of->min_exponent ? of->min_exponent : exponent;
    return ldexp(1, cut - of->precision + 1);
}
