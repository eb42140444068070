/* Memory that is freed at once: blocks that grow, never move and are released together.
 */
#ifndef ONCHIP_BASE_ARENA_H
#define ONCHIP_BASE_ARENA_H

#include <stddef.h>

typedef struct oc__arena oc__arena;

/* NULL when out of memory. */
oc__arena *oc__arena_make(void);
void oc__arena_free(oc__arena *arena);

/* Zeroed, aligned to 16 bytes, also for size 0; NULL when out of memory or when `count
 * * size` does not fit. */
void *oc__arena_take(oc__arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of `size` bytes; NULL when out of memory. */
char *oc__arena_text(oc__arena *arena, const char *bytes, size_t size);

/* Bytes handed out so far. */
size_t oc__arena_used(const oc__arena *arena);

#endif
