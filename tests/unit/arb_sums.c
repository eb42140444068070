#include "arb_sums.h"

static double one_of_kind(dice *from, const type *of, size_t kind, size_t i)
{
    double ulp = ldexp(1, 1 - of->precision);
    switch (kind) {
    case 0: return dice_unit(from);
    case 1: return (double)dice_below(from, 15) - 7;
    case 2: return random_number(from, of, true);
    case 3: return random_number(from, of, false);
    case 4: // 1 and halves of its ulp, which some orders lose
        return i == 0 ? 1 : dice_one_in(from, 8) ? -ulp / 2 : ulp / 2;
    case 5: return of->max_finite / (double)(1 + dice_below(from, 16));
    case 6:
        return ldexp(dice_normal(from), of->min_exponent - (int)dice_below(from, 8));
    default: return dice_normal(from);
    }
}

void random_row(dice *from, const type *of, bool finite, double *row, size_t n)
{
    size_t kind = dice_below(from, 12);
    double same = random_number(from, of, true);
    bool cancels = dice_one_in(from, 4), signs = dice_one_in(from, 2);
    for (size_t i = 0; i < n; i++) {
        double x = kind == 7 ? same : one_of_kind(from, of, kind, i);
        x = kind == 5 && signs && dice_one_in(from, 2) ? -x : x;
        x = cancels && i % 2 == 1 ? -row[i - 1] * (dice_one_in(from, 4) ? 0.75 : 1) : x;
        x = finite && !isfinite(x) ? 1 : x;
        row[i] = round_number(of->dtype, x);
    }
}

bool exact_sum(arf_t out, const double *x, const double *y, size_t n)
{
    arf_t a, b;
    bool finite = true;
    arf_init(a);
    arf_init(b);
    arf_zero(out);
    for (size_t i = 0; i < n && finite; i++) {
        finite = isfinite(x[i]) && (!y || isfinite(y[i]));
        arf_set_d(a, x[i]);
        arf_set_d(b, y ? y[i] : 1);
        arf_mul(a, a, b, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_add(out, out, a, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arf_clear(b);
    arf_clear(a);
    return finite;
}
