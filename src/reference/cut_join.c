/* concatenate and pad. */
#include "reference/cut_inner.h"

bool oc__cut_demand_concatenate(oc__cutter *c, const oc__cut_node *node)
{
    size_t d = (size_t)oc__hlo_attr_int(node->op, "dimension", 0);
    const oc__grid *out = &oc__cut_out(c, node, 0)->grid;
    int64_t start = 0, at = 0;
    for (size_t k = 0; k < node->op->operand_count; k++) {
        bool fits = d < out->rank && node->needs[k].rank == out->rank;
        int64_t dim = fits ? oc__cut_in(c, node, k)->type->dims[d] : 0;
        int64_t first = at, end;
        if (!fits || __builtin_add_overflow(start, dim, &end)) {
            return oc__cut_fail_at(c, node->op, OC_PARSE,
                                   "its operands do not fit its result");
        }
        oc__grid *need = &node->needs[k];
        bool whole = !out->indices[d];
        *need = *out;
        while (!whole && at < out->counts[d] && out->indices[d][at] < end) {
            at++;
        }
        oc__grid_fill(need, d, dim);
        if (!whole && at - first < dim) {
            int64_t *indices = oc__cut_take_memory(c, c->scratch, (size_t)(at - first),
                                                   sizeof *indices);
            if (!indices) {
                return false;
            }
            for (int64_t i = first; i < at; i++) {
                indices[i - first] = out->indices[d][i] - start;
            }
            need->indices[d] = indices;
            need->counts[d] = at - first;
        }
        if (!whole && at == first && out->counts[d] > 0) {
            oc__cut_skip(node, k);
        }
        start = end;
    }
    return true;
}

bool oc__cut_demand_pad(oc__cutter *c, const oc__cut_node *node)
{
    static const char *const names[] = {"edge_padding_low", "edge_padding_high",
                                        "interior_padding"};
    oc__cut_value *out = oc__cut_out(c, node, 0);
    oc__grid *need = &node->needs[0];
    uint32_t padded = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const int64_t *amounts;
        size_t count;
        if (!oc__cut_read(c, oc__hlo_attr_get(node->op, names[k]), &amounts, &count)) {
            return false;
        }
        for (size_t d = 0; d < count && d < OC_MAX_RANK; d++) {
            padded |= (uint32_t)(amounts[d] != 0) << d;
        }
    }
    for (size_t d = 0; d < need->rank && d < out->type->rank; d++) {
        if (padded >> d & 1) {
            oc__grid_fill(&out->grid, d, out->type->dims[d]);
        } else {
            oc__grid_pass(need, d, &out->grid, d);
        }
    }
    return true;
}
