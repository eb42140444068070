/* Names to pointers or numbers, hashed; the last added leave first, as scopes do. */
#ifndef ONCHIP_STABLEHLO_NAMES_H
#define ONCHIP_STABLEHLO_NAMES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct oc__name {
    const char *text; /* belongs to whoever added it */
    size_t size;
    uint64_t hash;
    union {
        size_t number;
        const void *pointer;
    };
} oc__name;

typedef struct oc__names {
    oc__name *items; /* in the order in which they were added */
    size_t count;
    uint32_t *slots; /* index + 1 into items, open addressing; 0 is free */
    size_t slot_count;
} oc__names;

/* NULL when there is none; valid until the next name is added. */
oc__name *oc__names_find(const oc__names *names, const char *text, size_t size);

/* A name that is not there yet. NULL when out of memory. */
oc__name *oc__names_add(oc__names *names, oc__arena *arena, const char *text,
                        size_t size);

/* Takes the last ones away until `count` are left. */
void oc__names_drop(oc__names *names, size_t count);

#endif
