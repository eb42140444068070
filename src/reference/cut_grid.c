#include "reference/cut_inner.h"

#include <string.h>

void oc__grid_whole(const oc__hlo_type *type, oc__grid *out)
{
    *out = (oc__grid){.rank = type->rank};
    memcpy(out->counts, type->dims, type->rank * sizeof *out->counts);
}

bool oc__grid_is_whole(const oc__grid *grid)
{
    for (size_t d = 0; d < grid->rank; d++) {
        if (grid->indices[d]) {
            return false;
        }
    }
    return true;
}

bool oc__grid_equal(const oc__grid *a, const oc__grid *b)
{
    if (a->rank != b->rank) {
        return false;
    }
    for (size_t d = 0; d < a->rank; d++) {
        bool same = a->counts[d] == b->counts[d] && !a->indices[d] == !b->indices[d];
        if (!same || (a->indices[d] && a->indices[d] != b->indices[d] &&
                      memcmp(a->indices[d], b->indices[d],
                             (size_t)a->counts[d] * sizeof(int64_t)) != 0)) {
            return false;
        }
    }
    return true;
}

bool oc__grid_fits(const oc__hlo_type *type, const oc__grid *grid)
{
    bool fits = grid->rank == type->rank;
    for (size_t d = 0; fits && d < grid->rank; d++) {
        const int64_t *indices = grid->indices[d];
        int64_t count = grid->counts[d];
        fits = indices ? count >= 0 && count < type->dims[d] : count == type->dims[d];
        for (int64_t i = 0; fits && indices && i < count; i++) {
            fits = indices[i] > (i > 0 ? indices[i - 1] : -1) &&
                   indices[i] < type->dims[d];
        }
    }
    return fits;
}

bool oc__grid_mark(oc__cutter *c, oc__grid *grid, size_t d, const bool *marks,
                   int64_t dim)
{
    int64_t count = 0;
    for (int64_t i = 0; i < dim; i++) {
        count += marks[i];
    }
    oc__grid_fill(grid, d, dim);
    if (count == dim) {
        return true;
    }
    int64_t *indices =
        oc__cut_take_memory(c, c->scratch, (size_t)count, sizeof *indices);
    if (!indices) {
        return false;
    }
    grid->indices[d] = indices;
    grid->counts[d] = count;
    for (int64_t i = 0, k = 0; i < dim; i++) {
        if (marks[i]) {
            indices[k++] = i;
        }
    }
    return true;
}

/* Merges two sorted lists; `out` may be NULL. Yields the number of indices. */
static int64_t merge(const int64_t *a, int64_t a_count, const int64_t *b,
                     int64_t b_count, int64_t *out)
{
    int64_t i = 0, k = 0, count = 0;
    while (i < a_count || k < b_count) {
        int64_t x = i < a_count ? a[i] : INT64_MAX, y = k < b_count ? b[k] : INT64_MAX;
        if (out) {
            out[count] = x < y ? x : y;
        }
        count++;
        i += x <= y;
        k += y <= x;
    }
    return count;
}

bool oc__grid_join(oc__cutter *c, const oc__hlo_type *type, oc__grid *to,
                   const oc__grid *more)
{
    for (size_t d = 0; d < to->rank; d++) {
        const int64_t *a = to->indices[d], *b = more->indices[d];
        if (!a || a == b) {
            continue;
        }
        int64_t n = b ? merge(a, to->counts[d], b, more->counts[d], NULL) : 0;
        if (!b || n == type->dims[d]) {
            oc__grid_fill(to, d, type->dims[d]);
        } else if (n > to->counts[d]) {
            int64_t *both = oc__cut_take_memory(c, c->scratch, (size_t)n, sizeof *both);
            if (!both) {
                return false;
            }
            merge(a, to->counts[d], b, more->counts[d], both);
            to->indices[d] = both;
            to->counts[d] = n;
        }
    }
    return true;
}

void oc__grid_copy(const oc__grid *grid, const int64_t *dims, size_t size,
                   const void *from, void *to)
{
    size_t rank = grid->rank;
    // What is whole at the end is one run of bytes.
    size_t run = size;
    while (rank > 0 && !grid->indices[rank - 1]) {
        run *= (size_t)dims[--rank];
    }
    int64_t at[OC_MAX_RANK] = {0};
    for (size_t d = 0; d < rank; d++) {
        if (grid->counts[d] == 0) {
            return;
        }
    }
    unsigned char *out = to;
    for (bool more = run > 0; more; out += run) {
        size_t element = 0;
        for (size_t d = 0; d < rank; d++) {
            element = element * (size_t)dims[d] + (size_t)oc__grid_at(grid, d, at[d]);
        }
        memcpy(out, (const unsigned char *)from + element * run, run);
        more = false;
        for (size_t d = rank; !more && d-- > 0;) {
            more = ++at[d] < grid->counts[d];
            at[d] = more ? at[d] : 0;
        }
    }
}

oc_status oc__grid_take(const oc__grid *grid, const oc_tensor *whole,
                        oc_tensor *out_part, oc_error *err)
{
    oc_status rc =
        oc_tensor_make(whole->dtype, grid->counts, grid->rank, out_part, err);
    if (rc == OC_OK) {
        oc__grid_copy(grid, whole->dims, oc_dtype_host_bits(whole->dtype) / 8,
                      whole->data, out_part->data);
    }
    return rc;
}

size_t oc__grid_place(const oc__grid *grid, const int64_t *dims, size_t at)
{
    size_t place = 0, stride = 1;
    for (size_t d = grid->rank; d-- > 0;) {
        size_t count = (size_t)grid->counts[d], i = count > 0 ? at % count : 0;
        place += stride * (grid->indices[d] ? (size_t)grid->indices[d][i] : i);
        at = count > 0 ? at / count : 0;
        stride *= (size_t)dims[d];
    }
    return place;
}
