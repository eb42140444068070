/* The worker's table of device buffers and the numbers that name them.
 *
 * A loop frees as many buffers as it makes, so a slot is used again; its number is not:
 * it is the slot and how often the slot was used before, so that a number of a buffer
 * that is gone names nothing. */
#ifndef ONCHIP_DEVICE_BUFFERS_H
#define ONCHIP_DEVICE_BUFFERS_H

#include "pjrt/pjrt_program.h"

#include <stdint.h>

enum { OC__BUFFERS = 1 << 16 }; /* at the same time */

typedef struct oc__buffer_slot {
    PJRT_Buffer *buffer; /* NULL: free */
    int64_t uses;        /* before this one */
    size_t next_free;    /* of a free one */
} oc__buffer_slot;

typedef struct oc__buffers {
    oc__buffer_slot *slots;
    size_t count;
    size_t free_count;
    size_t first_free;
} oc__buffers;

/* On failure `buffer` is freed. */
OC_MUST_USE oc_status oc__buffers_keep(oc__buffers *table, const oc__pjrt *pjrt,
                                       PJRT_Buffer *buffer, int64_t *out_number,
                                       oc_error *err);
/* All of them or none. */
OC_MUST_USE oc_status oc__buffers_keep_all(oc__buffers *table, const oc__pjrt *pjrt,
                                           PJRT_Buffer *const *buffers, size_t count,
                                           int64_t *out_numbers, oc_error *err);
/* NULL when the number names none. */
PJRT_Buffer *oc__buffers_find(const oc__buffers *table, int64_t number);
/* Frees the buffer; false when the number names none. */
bool oc__buffers_drop(oc__buffers *table, const oc__pjrt *pjrt, int64_t number);
void oc__buffers_free(oc__buffers *table, const oc__pjrt *pjrt);

#endif
