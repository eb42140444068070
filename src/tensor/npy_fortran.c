#include "tensor/npy_fortran.h"

#include <stdlib.h>
#include <string.h>

/* A piece is some runs of the first index, or a part of one that is too long. */
enum { PIECE_BYTES = 1 << 20, PIECE_RUNS = 4096 };

typedef struct piece {
    unsigned char bytes[PIECE_BYTES];
    size_t targets[PIECE_RUNS]; /* where in the array the runs begin */
} piece;

/* Where one run after the other begins: an odometer over all indices but the first. */
typedef struct runs {
    const oc__npy_header *header;
    size_t strides[OC_MAX_RANK]; /* in bytes */
    size_t index[OC_MAX_RANK];
    size_t target;
} runs;

static void next_run(runs *at)
{
    for (size_t i = 1; i < at->header->rank; i++) {
        at->target += at->strides[i];
        if (++at->index[i] < (size_t)at->header->dims[i]) {
            return;
        }
        at->target -= at->strides[i] * at->index[i];
        at->index[i] = 0;
    }
}

/* Element by element of a run outside, run by run inside: neighbours in the array are
 * written together. */
static inline void scatter(const piece *from, size_t run_count, size_t length,
                           size_t item, size_t stride, unsigned char *out)
{
    for (size_t i = 0; i < length; i++) {
        for (size_t run = 0; run < run_count; run++) {
            memcpy(out + from->targets[run] + i * stride,
                   from->bytes + (run * length + i) * item, item);
        }
    }
}

/* The sizes of NumPy's types as constants, for the copies to be single moves. */
static void scatter_items(const piece *from, size_t run_count, size_t length,
                          size_t item, size_t stride, unsigned char *out)
{
    switch (item) {
    case 1: scatter(from, run_count, length, 1, stride, out); break;
    case 2: scatter(from, run_count, length, 2, stride, out); break;
    case 4: scatter(from, run_count, length, 4, stride, out); break;
    case 8: scatter(from, run_count, length, 8, stride, out); break;
    default: scatter(from, run_count, length, item, stride, out);
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

oc_status oc__npy_read_fortran(oc__npy_source *source, const oc__npy_header *header,
                               unsigned char *out, oc_error *err)
{
    size_t item = header->item_bytes;
    size_t run_length = (size_t)header->dims[0];
    size_t runs_left = header->data_bytes / item / run_length;
    runs at = {.header = header};
    piece *held = malloc(sizeof *held);
    oc_status rc = OC_OK;
    if (!held) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    for (size_t i = header->rank, stride = item; i > 0; i--) {
        at.strides[i - 1] = stride;
        stride *= (size_t)header->dims[i - 1];
    }
    size_t length = smaller(run_length, PIECE_BYTES / item);
    size_t most_runs =
        length < run_length ? 1 : smaller(PIECE_BYTES / item / run_length, PIECE_RUNS);
    while (runs_left > 0 && rc == OC_OK) {
        size_t run_count = smaller(runs_left, most_runs);
        for (size_t run = 0; run < run_count; run++) {
            held->targets[run] = at.target;
            next_run(&at);
        }
        for (size_t done = 0; done < run_length && rc == OC_OK; done += length) {
            size_t part = smaller(length, run_length - done);
            rc = oc__npy_source_read(source, held->bytes, run_count * part * item, err);
            if (rc == OC_OK) {
                scatter_items(held, run_count, part, item, at.strides[0],
                              out + done * at.strides[0]);
            }
        }
        runs_left -= run_count;
    }
    free(held);
    return rc;
}
