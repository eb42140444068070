#include "base/arena.h"

#include "base/strbuf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 1 << 16, LAST_BLOCK = 1 << 22, ALIGNMENT = 16 };

typedef struct block {
    struct block *next;
    size_t size, used;
    _Alignas(ALIGNMENT) unsigned char bytes[];
} block;

struct oc__arena {
    block *blocks; /* the one in use first */
    size_t next_size, used;
};

oc__arena *oc__arena_make(void)
{
    oc__arena *arena = calloc(1, sizeof *arena);
    if (arena) {
        arena->next_size = FIRST_BLOCK;
    }
    return arena;
}

void oc__arena_free(oc__arena *arena)
{
    if (!arena) {
        return;
    }
    for (block *b = arena->blocks; b;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    free(arena);
}

/* A large request gets a block of its own behind the one in use. */
static block *block_for(oc__arena *arena, size_t size)
{
    block *current = arena->blocks;
    if (current && current->size - current->used >= size) {
        return current;
    }
    bool own = size > arena->next_size / 4;
    size_t capacity = own ? size : arena->next_size;
    if (capacity > SIZE_MAX - sizeof(block)) {
        return NULL;
    }
    block *made = calloc(1, sizeof(block) + capacity);
    if (!made) {
        return NULL;
    }
    made->size = capacity;
    if (own && current) {
        made->next = current->next;
        current->next = made;
        return made;
    }
    made->next = current;
    arena->blocks = made;
    if (!own && arena->next_size < LAST_BLOCK) {
        arena->next_size *= 2;
    }
    return made;
}

void *oc__arena_take(oc__arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!oc__size_mul(count, size, &bytes) || bytes > SIZE_MAX - ALIGNMENT) {
        return NULL;
    }
    bytes = bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block *b = block_for(arena, bytes);
    if (!b) {
        return NULL;
    }
    void *taken = b->bytes + b->used;
    b->used += bytes;
    arena->used += bytes;
    return taken;
}

char *oc__arena_text(oc__arena *arena, const char *bytes, size_t size)
{
    char *text = oc__arena_take(arena, size + 1, 1);
    if (text && size) {
        memcpy(text, bytes, size);
    }
    return text;
}

size_t oc__arena_used(const oc__arena *arena)
{
    return arena->used;
}
