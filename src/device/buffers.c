#include "device/buffers.h"

#include <stdlib.h>

static oc__buffer_slot *find_slot(const oc__buffers *table, int64_t number)
{
    if (number < 0 || (size_t)(number % OC__BUFFERS) >= table->count) {
        return NULL;
    }
    oc__buffer_slot *slot = &table->slots[number % OC__BUFFERS];
    return slot->buffer && slot->uses == number / OC__BUFFERS ? slot : NULL;
}

oc_status oc__buffers_keep(oc__buffers *table, const oc__pjrt *pjrt,
                           PJRT_Buffer *buffer, int64_t *out_number, oc_error *err)
{
    size_t at = table->first_free;
    if (table->free_count > 0) {
        table->first_free = table->slots[at].next_free;
        table->free_count--;
    } else {
        at = table->count;
        oc__buffer_slot *grown =
            at < OC__BUFFERS ? realloc(table->slots, (at + 1) * sizeof *grown) : NULL;
        if (!grown) {
            oc__pjrt_buffer_free(pjrt, buffer);
            return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_TRANSFER,
                           "no room for another buffer (%d at most)", OC__BUFFERS);
        }
        grown[at] = (oc__buffer_slot){0};
        table->slots = grown;
        table->count++;
    }
    table->slots[at].buffer = buffer;
    *out_number = table->slots[at].uses * OC__BUFFERS + (int64_t)at;
    return OC_OK;
}

oc_status oc__buffers_keep_all(oc__buffers *table, const oc__pjrt *pjrt,
                               PJRT_Buffer *const *buffers, size_t count,
                               int64_t *out_numbers, oc_error *err)
{
    oc_status rc = OC_OK;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (rc == OC_OK) {
            rc = oc__buffers_keep(table, pjrt, buffers[i], &out_numbers[i], err);
            kept += rc == OC_OK;
        } else {
            oc__pjrt_buffer_free(pjrt, buffers[i]);
        }
    }
    for (size_t i = 0; rc != OC_OK && i < kept; i++) {
        oc__buffers_drop(table, pjrt, out_numbers[i]);
    }
    return rc;
}

PJRT_Buffer *oc__buffers_find(const oc__buffers *table, int64_t number)
{
    const oc__buffer_slot *slot = find_slot(table, number);
    return slot ? slot->buffer : NULL;
}

bool oc__buffers_drop(oc__buffers *table, const oc__pjrt *pjrt, int64_t number)
{
    oc__buffer_slot *slot = find_slot(table, number);
    if (!slot) {
        return false;
    }
    oc__pjrt_buffer_free(pjrt, slot->buffer);
    *slot = (oc__buffer_slot){.uses = slot->uses + 1, .next_free = table->first_free};
    table->first_free = (size_t)(slot - table->slots);
    table->free_count++;
    return true;
}

void oc__buffers_free(oc__buffers *table, const oc__pjrt *pjrt)
{
    for (size_t i = 0; i < table->count; i++) {
        oc__pjrt_buffer_free(pjrt, table->slots[i].buffer);
    }
    free(table->slots);
    *table = (oc__buffers){0};
}
