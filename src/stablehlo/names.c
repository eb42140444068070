#include "stablehlo/names.h"

#include <string.h>

static uint64_t hash_of(const char *text, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a, 64 bits
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    }
    return hash ^ (hash >> 32);
}

/* The slot of the name, or the free one where it would go. */
static uint32_t *slot_of(const oc__names *names, const char *text, size_t size,
                         uint64_t hash)
{
    size_t mask = names->slot_count - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &names->slots[i];
        const oc__name *name = *slot ? &names->items[*slot - 1] : NULL;
        if (!name || (name->hash == hash && name->size == size &&
                      memcmp(name->text, text, size) == 0)) {
            return slot;
        }
    }
}

oc__name *oc__names_find(const oc__names *names, const char *text, size_t size)
{
    if (names->count == 0) {
        return NULL;
    }
    uint32_t slot = *slot_of(names, text, size, hash_of(text, size));
    return slot ? &names->items[slot - 1] : NULL;
}

/* Twice the room; at most half of the slots are taken. */
static bool grow(oc__names *names, oc__arena *arena)
{
    size_t capacity = names->slot_count ? names->slot_count : 16;
    oc__name *items = oc__arena_take(arena, capacity, sizeof *items);
    uint32_t *slots = oc__arena_take(arena, 2 * capacity, sizeof *slots);
    if (!items || !slots || capacity > UINT32_MAX / 2) {
        return false;
    }
    if (names->count) {
        memcpy(items, names->items, names->count * sizeof *items);
    }
    names->items = items;
    names->slots = slots;
    names->slot_count = 2 * capacity;
    for (size_t i = 0; i < names->count; i++) {
        *slot_of(names, items[i].text, items[i].size, items[i].hash) =
            (uint32_t)(i + 1);
    }
    return true;
}

oc__name *oc__names_add(oc__names *names, oc__arena *arena, const char *text,
                        size_t size)
{
    if (names->count >= names->slot_count / 2 && !grow(names, arena)) {
        return NULL;
    }
    uint64_t hash = hash_of(text, size);
    oc__name *name = &names->items[names->count++];
    *name = (oc__name){.text = text, .size = size, .hash = hash};
    *slot_of(names, text, size, hash) = (uint32_t)names->count;
    return name;
}

/* The last name added ends its probe sequence, so its slot can be freed without a
 * gap. */
void oc__names_drop(oc__names *names, size_t count)
{
    while (names->count > count) {
        const oc__name *last = &names->items[names->count - 1];
        *slot_of(names, last->text, last->size, last->hash) = 0;
        names->count--;
    }
}
