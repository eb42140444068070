#include "reference/collective.h"

#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

/* channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>; 0: there is none.
 */
static int64_t channel_of(const oc__hlo_op *op)
{
    const oc__hlo_attr *handle = oc__hlo_attr_get(op, "channel_handle");
    const oc__hlo_attr *id =
        handle && (handle->kind == OC__ATTR_STRUCT || handle->kind == OC__ATTR_DICT)
            ? oc__hlo_entry(handle, "handle")
            : NULL;
    return id && id->kind == OC__ATTR_INT ? id->integer
                                          : oc__hlo_attr_int(op, "channel_id", 0);
}

oc_status oc__strategy_global(const oc__hlo_op *op, oc__strategy *out_strategy,
                              oc_error *err)
{
    bool channel = channel_of(op) > 0;
    bool global = oc__hlo_attr_flag(op, "use_global_device_ids");
    if (global && !channel) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: use_global_device_ids needs a channel", op->name);
    }
    *out_strategy = global    ? OC__FLATTENED_IDS
                    : channel ? OC__CROSS_REPLICA_AND_PARTITION
                              : OC__CROSS_REPLICA;
    return OC_OK;
}

oc__strategy oc__strategy_plain(const oc__hlo_op *op)
{
    return channel_of(op) > 0 ? OC__CROSS_PARTITION : OC__CROSS_REPLICA;
}

/* The lists of ids as they are written: rows of a matrix, -1 where a row is shorter. */
typedef struct id_lists {
    const int64_t *ids;
    size_t rows, width;
    int64_t
        *own; /* made here: all ids in one list, which is what an empty matrix means */
} id_lists;

static oc_status read_lists(const oc__eval *eval, const oc__hlo_op *op,
                            const char *attribute, size_t id_count, bool pairs,
                            id_lists *out, oc_error *err)
{
    const oc__hlo_attr *attr = oc__hlo_attr_get(op, attribute);
    if (!attr || attr->kind != OC__ATTR_DENSE || attr->type->rank != 2) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                       "%s: the reference reads '%s' only as a matrix of ids", op->name,
                       attribute);
    }
    size_t count;
    oc_status rc = oc__hlo_ints(eval->module, attr, &out->ids, &count, err);
    if (rc != OC_OK) {
        return rc;
    }
    out->rows = (size_t)attr->type->dims[0];
    out->width = (size_t)attr->type->dims[1];
    if (pairs && count > 0 && out->width != 2) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "%s: '%s' must hold pairs",
                       op->name, attribute);
    }
    if (count > 0 || pairs) {
        return OC_OK;
    }
    out->own = malloc((id_count + 1) * sizeof *out->own);
    if (!out->own) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for groups");
    }
    for (size_t i = 0; i < id_count; i++) {
        out->own[i] = (int64_t)i;
    }
    out->ids = out->own;
    out->rows = 1;
    out->width = id_count;
    return OC_OK;
}

static void append(oc__groups *groups, size_t group, size_t process)
{
    groups->members[group * groups->width + groups->sizes[group]++] = process;
}

/* Values of the coordinate that the ids do not give. */
static size_t others_of(const oc__eval *eval, oc__strategy strategy)
{
    return strategy == OC__CROSS_PARTITION ? eval->replicas
           : strategy == OC__FLATTENED_IDS ? 1
                                           : eval->partitions;
}

/* The processes of list `row`: a group for each value of the other coordinate, or all
 * of them in one group. */
static void expand(const oc__eval *eval, oc__strategy strategy, const id_lists *lists,
                   size_t row, oc__groups *groups)
{
    const int64_t *ids = lists->ids + row * lists->width;
    size_t partitions = eval->partitions;
    bool together = strategy == OC__CROSS_REPLICA_AND_PARTITION;
    for (size_t other = 0; other < others_of(eval, strategy); other++) {
        for (size_t i = 0; i < lists->width; i++) {
            if (ids[i] < 0) {
                continue;
            }
            size_t id = (size_t)ids[i];
            size_t process = strategy == OC__CROSS_PARTITION ? other * partitions + id
                             : strategy == OC__FLATTENED_IDS ? id
                                                             : id * partitions + other;
            append(groups, groups->count, process);
        }
        groups->count += !together;
    }
    groups->count += together;
}

static oc_status check_ids(const oc__hlo_op *op, const char *attribute,
                           const id_lists *lists, size_t id_count, bool pairs,
                           oc_error *err)
{
    oc_status rc = OC_OK;
    // One set of ids for groups; for pairs one of sources and one of targets.
    bool *seen = calloc(2 * id_count + 1, sizeof *seen);
    if (!seen) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for groups");
    }
    for (size_t i = 0; rc == OC_OK && i < lists->rows * lists->width; i++) {
        int64_t id = lists->ids[i];
        if (id == -1 && !pairs) {
            continue;
        }
        size_t set = pairs ? i % 2 * id_count : 0;
        if (id < 0 || (uint64_t)id >= id_count) {
            rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                         "%s: '%s' names %lld, but there are %zu ids", op->name,
                         attribute, (long long)id, id_count);
        } else if (seen[set + (size_t)id]) {
            rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "%s: '%s' names %lld twice",
                         op->name, attribute, (long long)id);
        } else {
            seen[set + (size_t)id] = true;
        }
    }
    free(seen);
    return rc;
}

oc_status oc__groups_make(oc__eval *eval, const oc__hlo_op *op, const char *attribute,
                          oc__strategy strategy, bool pairs, oc__groups *out_groups,
                          oc_error *err)
{
    *out_groups = (oc__groups){0};
    id_lists lists = {0};
    size_t processes = eval->replicas * eval->partitions;
    size_t id_count = strategy == OC__FLATTENED_IDS     ? processes
                      : strategy == OC__CROSS_PARTITION ? eval->partitions
                                                        : eval->replicas;
    oc_status rc = read_lists(eval, op, attribute, id_count, pairs, &lists, err);
    if (rc == OC_OK) {
        rc = check_ids(op, attribute, &lists, id_count, pairs, err);
    }
    if (rc != OC_OK) {
        goto done;
    }
    // Ids are unique, so that these are at most as many as there are processes.
    size_t others = others_of(eval, strategy);
    bool together = strategy == OC__CROSS_REPLICA_AND_PARTITION;
    size_t most = together ? lists.rows : lists.rows * others;
    out_groups->width = together ? lists.width * others : lists.width;
    out_groups->sizes = calloc(most + 1, sizeof(size_t));
    size_t cells;
    bool fits = oc__size_mul(most, out_groups->width, &cells) && cells < SIZE_MAX;
    out_groups->members = fits ? calloc(cells + 1, sizeof(size_t)) : NULL;
    if (!out_groups->sizes || !out_groups->members) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for groups");
        goto done;
    }
    for (size_t row = 0; row < lists.rows; row++) {
        expand(eval, strategy, &lists, row, out_groups);
    }
done:
    free(lists.own);
    if (rc != OC_OK) {
        oc__groups_free(out_groups);
    }
    return rc;
}

void oc__groups_free(oc__groups *groups)
{
    free(groups->members);
    free(groups->sizes);
    *groups = (oc__groups){0};
}
