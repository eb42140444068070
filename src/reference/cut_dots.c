/* Dots and convolutions: what is contracted stays whole. */
#include "reference/cut_inner.h"

#include <string.h>

bool oc__cut_demand_dot(oc__cutter *c, const oc__cut_node *node)
{
    const oc__grid *out = &oc__cut_out(c, node, 0)->grid;
    oc__grid *lhs = &node->needs[0], *rhs = &node->needs[1];
    size_t at = 0;
    for (size_t d = 0; d + 1 < lhs->rank; d++) {
        oc__grid_pass(lhs, d, out, at++);
    }
    for (size_t d = 1; d < rhs->rank; d++) {
        oc__grid_pass(rhs, d, out, at++);
    }
    return true;
}

static bool read_mask(oc__cutter *c, const oc__hlo_attr *numbers, const char *name,
                      uint32_t *mask)
{
    const int64_t *dims;
    size_t count;
    bool ok = oc__cut_read(c, oc__hlo_entry(numbers, name), &dims, &count);
    for (size_t i = 0; ok && i < count; i++) {
        *mask |= 1U << (dims[i] & 31);
    }
    return ok;
}

/* The result's dimensions: the batch ones, the left's free ones, the right's. */
bool oc__cut_demand_dot_general(oc__cutter *c, const oc__cut_node *node)
{
    static const char *const batch_names[] = {"lhs_batching_dimensions",
                                              "rhs_batching_dimensions"};
    static const char *const contract_names[] = {"lhs_contracting_dimensions",
                                                 "rhs_contracting_dimensions"};
    const oc__hlo_attr *numbers = oc__hlo_attr_get(node->op, "dot_dimension_numbers");
    const oc__grid *out = &oc__cut_out(c, node, 0)->grid;
    size_t at = 0;
    for (size_t side = 0; side < 2; side++) {
        oc__grid *need = &node->needs[side];
        const int64_t *batch;
        size_t count;
        uint32_t taken = 0;
        if (!oc__cut_read(c, oc__hlo_entry(numbers, batch_names[side]), &batch,
                          &count) ||
            !read_mask(c, numbers, batch_names[side], &taken) ||
            !read_mask(c, numbers, contract_names[side], &taken)) {
            return false;
        }
        for (size_t i = 0; i < count && i < out->rank; i++) {
            oc__grid_pass(need, (size_t)batch[i], out, i);
        }
        at = side == 0 ? count : at;
        for (size_t d = 0; d < need->rank && at < out->rank; d++) {
            if (!(taken >> d & 1)) {
                oc__grid_pass(need, d, out, at++);
            }
        }
    }
    return true;
}

static size_t number_of(const oc__hlo_attr *numbers, const char *name)
{
    const oc__hlo_attr *entry = oc__hlo_entry(numbers, name);
    return entry && entry->kind == OC__ATTR_INT ? (size_t)entry->integer : 0;
}

bool oc__cut_demand_convolution(oc__cutter *c, const oc__cut_node *node)
{
    const oc__hlo_attr *numbers = oc__hlo_attr_get(node->op, "dimension_numbers");
    oc__cut_value *value = oc__cut_out(c, node, 0);
    oc__grid *out = &value->grid;
    size_t batch = number_of(numbers, "output_batch_dimension");
    size_t feature = number_of(numbers, "output_feature_dimension");
    bool one_batch = oc__hlo_attr_int(node->op, "batch_group_count", 1) == 1;
    bool ungrouped =
        one_batch && oc__hlo_attr_int(node->op, "feature_group_count", 1) == 1;
    for (size_t d = 0; d < out->rank; d++) {
        if (d == batch && one_batch) {
            oc__grid_pass(&node->needs[0], number_of(numbers, "input_batch_dimension"),
                          out, d);
        } else if (d == feature && ungrouped) {
            oc__grid_pass(&node->needs[1],
                          number_of(numbers, "kernel_output_feature_dimension"), out,
                          d);
        } else {
            oc__grid_fill(out, d, value->type->dims[d]);
        }
    }
    return true;
}
