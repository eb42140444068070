#include "reference/contract.h"
#include "reference/product_norms.h"
#include "reference/round.h"

#include <stdlib.h>

OC__CLONES static bool all_finite(const double *x, size_t n)
{
    bool finite = true;
    for (size_t i = 0; i < n; i++) {
        finite &= fabs(x[i]) < (double)INFINITY;
    }
    return finite;
}

static bool has_subnormals(const double *x, size_t n, double tiny)
{
    bool some = false;
    for (size_t i = 0; i < n; i++) {
        some |= fabs(x[i]) < tiny && x[i] != 0;
    }
    return some;
}

/* --- the whole --- */

/* Copies without the elements that are not finite. */
static oc_status make_clean(oc__side *side, oc_error *err)
{
    const oc__operand *o = side->operand;
    size_t n = side->at.count * side->at.length, parts = o->part_count;
    const double *from[OC__MAX_PARTS + 2] = {o->m, o->r};
    const double **to[OC__MAX_PARTS + 2] = {&side->m, &side->r};
    for (size_t k = 0; k < parts; k++) {
        from[2 + k] = o->parts[k];
        to[2 + k] = &side->parts[k];
    }
    for (size_t k = 0; k < 2 + parts; k++) {
        if (!from[k]) {
            continue;
        }
        side->own[k] = malloc((n + 1) * sizeof(double));
        if (!side->own[k]) {
            return oc__no_memory(err);
        }
        for (size_t i = 0; i < n; i++) {
            bool finite = oc__term_class(o->m[i], o->r ? o->r[i] : 0) == 0;
            side->own[k][i] = finite ? from[k][i] : 0;
        }
        *to[k] = side->own[k];
    }
    return OC_OK;
}

static void collect_flags(oc__side *side, const uint8_t *f, size_t per_flag)
{
    const oc__operand *o = side->operand;
    for (size_t v = 0; v < side->at.count; v++) {
        for (size_t k = 0; k < side->at.length; k++) {
            size_t i = oc__layout_at(&side->at, v, k);
            side->flags[v] |= oc__term_class(o->m[i], o->r ? o->r[i] : 0);
            side->flags[v] |= f ? f[i / per_flag] & OC__F_STICKY : 0;
        }
    }
}

static oc_status look_at_flags(oc__side *side, const uint8_t *f, size_t per_flag,
                               oc_error *err)
{
    const oc__operand *o = side->operand;
    size_t n = side->at.count * side->at.length;
    side->special = !all_finite(o->m, n) || (o->r && !all_finite(o->r, n));
    if (f || side->special) {
        collect_flags(side, f, per_flag);
    }
    return side->special ? make_clean(side, err) : OC_OK;
}

static void measure(oc__side *side, const oc__sum_model *model)
{
    size_t count = side->at.count, n = count * side->at.length;
    oc__vector_norms(side->m, &side->at, side->norms, side->terms);
    side->any_grid = oc__vector_grids(side->m, &side->at, side->norms + 2 * count,
                                      oc__power_of_two(model->precision), side->grid);
    side->subnormals =
        model->env.arith->flush && has_subnormals(side->m, n, model->tiny);
    if (!side->r) {
        return;
    }
    // Elements that are not 0 are at most those of m and those of r.
    double *r_norms = side->norms + 3 * count, *r_terms = r_norms + 3 * count;
    oc__vector_norms(side->r, &side->at, r_norms, r_terms);
    for (size_t v = 0; v < count; v++) {
        side->terms[v] = fmin(side->terms[v] + r_terms[v], (double)side->at.length);
        side->grid[v] = r_terms[v] > 0 ? OC__NO_GRID : side->grid[v];
    }
}

oc_status oc__side_make(const oc__sum_model *model, const oc__operand *operand,
                        const oc__layout *layout, const uint8_t *f, size_t per_flag,
                        oc__side *out_side, oc_error *err)
{
    oc__side *side = out_side;
    size_t count = layout->count;
    *side =
        (oc__side){.at = *layout, .operand = operand, .m = operand->m, .r = operand->r};
    memcpy(side->parts, operand->parts, sizeof side->parts);
    side->norms = calloc(7 * count + 1, sizeof(double));
    side->terms = calloc(count + 1, sizeof(double));
    side->grid = calloc(count + 1, sizeof(int));
    side->flags = calloc(count + 1, 1);
    oc_status rc = side->norms && side->terms && side->grid && side->flags
                       ? look_at_flags(side, f, per_flag, err)
                       : oc__no_memory(err);
    if (rc == OC_OK) {
        measure(side, model);
    } else {
        oc__side_free(side);
    }
    return rc;
}

void oc__side_free(oc__side *side)
{
    free(side->norms);
    free(side->terms);
    free(side->grid);
    free(side->flags);
    for (size_t k = 0; k < sizeof side->own / sizeof *side->own; k++) {
        free(side->own[k]);
    }
    *side = (oc__side){0};
}

/* --- what is not finite --- */

static uint8_t term_of(double a, double ra, uint8_t a_class, double b, double rb,
                       uint8_t b_class)
{
    if ((a_class | b_class) & (OC__TERM_NAN | OC__F_UNDECIDED)) {
        return (a_class | b_class) & (OC__TERM_NAN | OC__F_UNDECIDED);
    }
    if (!a_class && !b_class) {
        return 0;
    }
    // One is infinite: the other one's sign and whether it is 0 decide.
    bool a_sure = a_class || fabs(a) > ra, b_sure = b_class || fabs(b) > rb;
    if (!a_sure || !b_sure) {
        bool zero = a_sure ? b == 0 && rb == 0 : a == 0 && ra == 0;
        return zero ? OC__TERM_NAN : OC__F_UNDECIDED;
    }
    return signbit(a) == signbit(b) ? OC__TERM_PLUS_INF : OC__TERM_MINUS_INF;
}

uint8_t oc__side_classes(const oc__side *a, size_t i, const oc__side *b, size_t j)
{
    uint8_t either = a->flags[i] | b->flags[j];
    if (!(either & OC__TERM_CLASSES) || (either & OC__TERM_NAN)) {
        return either & OC__TERM_NAN;
    }
    const oc__operand *oa = a->operand, *ob = b->operand;
    uint8_t all = 0;
    for (size_t k = 0; k < a->at.length; k++) {
        size_t ai = oc__layout_at(&a->at, i, k), bi = oc__layout_at(&b->at, j, k);
        double ar = oa->r ? oa->r[ai] : 0, br = ob->r ? ob->r[bi] : 0;
        all |= term_of(oa->m[ai], ar, oc__term_class(oa->m[ai], ar), ob->m[bi], br,
                       oc__term_class(ob->m[bi], br));
    }
    return all;
}
