/* Elements of a value that was made at a larger grid: one slice over the dimensions
 * whose places are evenly spaced, then one gather for each other dimension. Both pass
 * numbers on as they are, also for what the evaluator knows of products (plan_add.c)
 * and divisors (tile.c). */
#include "reference/cut_inner.h"

#include <string.h>

typedef struct taking {
    oc__cutter *c;
    const oc__hlo_op *place;
    const oc__hlo_type *type; /* of the whole value */
    oc__grid at;              /* what `number` holds */
    size_t number;
} taking;

/* Where the wanted indices of a dimension stand among those that are there. */
static const int64_t *places_of(taking *t, const oc__grid *grid, size_t d)
{
    int64_t *places = oc__cut_take_memory(t->c, t->c->scratch, (size_t)grid->counts[d],
                                          sizeof *places);
    for (int64_t i = 0, k = 0; places && i < grid->counts[d]; i++) {
        int64_t wanted = oc__grid_at(grid, d, i);
        while (oc__grid_at(&t->at, d, k) < wanted) {
            k++;
            OC_ASSERT(k < t->at.counts[d]);
        }
        places[i] = k;
    }
    return places;
}

static bool is_even(const int64_t *places, int64_t count)
{
    for (int64_t i = 2; i < count; i++) {
        if (places[i] - places[i - 1] != places[1] - places[0]) {
            return false;
        }
    }
    return count > 0;
}

static bool add(taking *t, const char *name, const size_t *operands,
                size_t operand_count, const oc__hlo_named *attributes,
                size_t attribute_count)
{
    oc__cutter *c = t->c;
    const oc__hlo_type *type = oc__cut_type(c, t->type, &t->at);
    oc__hlo_named *kept =
        oc__cut_take_memory(c, c->arena, attribute_count, sizeof *kept);
    if (!type || !kept) {
        return false;
    }
    for (size_t i = 0; i < attribute_count; i++) {
        kept[i] = attributes[i];
        if (!kept[i].value) {
            return false;
        }
    }
    oc__cut_draft draft = {.name = name,
                           .operands = operands,
                           .operand_count = operand_count,
                           .result_types = &type,
                           .result_count = 1,
                           .attributes = kept,
                           .attribute_count = attribute_count};
    return oc__cut_add(c, t->place, &draft, &t->number);
}

static bool take_slice(taking *t, const oc__grid *grid)
{
    int64_t start[OC_MAX_RANK], limit[OC_MAX_RANK], stride[OC_MAX_RANK];
    oc__grid next = t->at;
    bool any = false;
    for (size_t d = 0; d < grid->rank; d++) {
        start[d] = 0;
        limit[d] = t->at.counts[d];
        stride[d] = 1;
        if (t->at.counts[d] == grid->counts[d]) {
            continue;
        }
        const int64_t *places = places_of(t, grid, d);
        int64_t count = grid->counts[d];
        if (!places) {
            return false;
        }
        if (is_even(places, count)) {
            start[d] = places[0];
            limit[d] = places[count - 1] + 1;
            stride[d] = count > 1 ? places[1] - places[0] : 1;
            oc__grid_pass(&next, d, grid, d);
            any = true;
        }
    }
    if (!any) {
        return true;
    }
    t->at = next;
    oc__hlo_named attributes[] = {
        {"start_indices", oc__cut_ints(t->c, start, grid->rank)},
        {"limit_indices", oc__cut_ints(t->c, limit, grid->rank)},
        {"strides", oc__cut_ints(t->c, stride, grid->rank)}};
    size_t operands[] = {t->number};
    return add(t, "stablehlo.slice", operands, 1, attributes, 3);
}

/* #stablehlo.gather<...> for whole slices across dimension d. */
static const oc__hlo_attr *gather_numbers(taking *t, size_t d)
{
    oc__cutter *c = t->c;
    static const oc__hlo_attr one = {
        .kind = OC__ATTR_INT, .type = &oc__cut_i64, .integer = 1};
    oc__hlo_attr *numbers = oc__cut_take_memory(c, c->arena, 1, sizeof *numbers);
    oc__hlo_named *entries = oc__cut_take_memory(c, c->arena, 4, sizeof *entries);
    int64_t offsets[OC_MAX_RANK], dimension = (int64_t)d;
    size_t count = 0;
    for (size_t i = 0; i < t->at.rank; i++) {
        if (i != d) {
            offsets[count++] = (int64_t)i;
        }
    }
    if (!numbers || !entries) {
        return NULL;
    }
    entries[0] = (oc__hlo_named){"offset_dims", oc__cut_ints(c, offsets, count)};
    entries[1] =
        (oc__hlo_named){"collapsed_slice_dims", oc__cut_ints(c, &dimension, 1)};
    entries[2] = (oc__hlo_named){"start_index_map", oc__cut_ints(c, &dimension, 1)};
    entries[3] = (oc__hlo_named){"index_vector_dim", &one};
    *numbers = (oc__hlo_attr){.kind = OC__ATTR_STRUCT,
                              .text = "stablehlo.gather",
                              .text_size = 16,
                              .count = 4};
    numbers->entries = entries;
    return entries[0].value && entries[1].value && entries[2].value ? numbers : NULL;
}

static bool take_gather(taking *t, const oc__grid *grid, size_t d)
{
    static const oc__hlo_attr sorted = {.kind = OC__ATTR_BOOL, .integer = 1};
    size_t operands[2] = {t->number};
    const int64_t *places = places_of(t, grid, d);
    if (!places || !oc__cut_constant(t->c, t->place, OC_S64, places, &grid->counts[d],
                                     &operands[1])) {
        return false;
    }
    int64_t sizes[OC_MAX_RANK];
    memcpy(sizes, t->at.counts, sizeof sizes);
    sizes[d] = 1;
    oc__grid_pass(&t->at, d, grid, d);
    oc__hlo_named attributes[] = {
        {"dimension_numbers", gather_numbers(t, d)},
        {"slice_sizes", oc__cut_ints(t->c, sizes, grid->rank)},
        {"indices_are_sorted", &sorted}};
    return add(t, "stablehlo.gather", operands, 2, attributes, 3);
}

bool oc__cut_take(oc__cutter *c, const oc__hlo_op *place, size_t value,
                  const oc__grid *grid, size_t *out_number)
{
    oc__cut_value *v = &c->values[value];
    oc__cut_taken *taken = v->taken;
    while (taken && !oc__grid_equal(&taken->grid, grid)) {
        taken = taken->next;
    }
    if (taken || oc__grid_equal(&v->grid, grid)) {
        *out_number = taken ? taken->number : v->number;
        return true;
    }
    taking t = {
        .c = c, .place = place, .type = v->type, .at = v->grid, .number = v->number};
    bool ok = take_slice(&t, grid);
    for (size_t d = 0; ok && d < grid->rank; d++) {
        ok = t.at.counts[d] == grid->counts[d] || take_gather(&t, grid, d);
    }
    taken = ok ? oc__cut_take_memory(c, c->scratch, 1, sizeof *taken) : NULL;
    if (!taken) {
        return false;
    }
    *taken = (oc__cut_taken){.grid = *grid, .number = t.number, .next = v->taken};
    v->taken = taken;
    *out_number = t.number;
    return true;
}
