#include "reference/value.h"

#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 64,
    SMALL_BYTES = 64,
    MAX_SMALL = 64,
    HUGE_PAGE = 2 << 20,
    LARGE_BYTES = HUGE_PAGE / 2,
    MAX_LARGE = 8
};

/* The planes of one thread. Scalars come and go by the million in loops and regions,
 * and an aligned allocation is the dearest part of them; of a large plane the fresh
 * pages are, which the kernel clears. Some of either are kept for reuse while any plane
 * is alive: alive and kept bytes stay within the most that was alive at once. */
static _Thread_local struct {
    size_t alive_bytes, alive_count, most_bytes;
    bool limited;
    size_t max_bytes;
    bool refused;
    size_t small_count, large_count, large_bytes;
    oc__plane *small[MAX_SMALL];
    oc__plane *large[MAX_LARGE]; /* the longest kept first */
} planes;

size_t oc__planes_alive(void)
{
    return planes.alive_bytes;
}

size_t oc__planes_limit(size_t max_bytes)
{
    size_t before = planes.limited ? planes.max_bytes : SIZE_MAX;
    planes.limited = max_bytes != SIZE_MAX;
    planes.max_bytes = max_bytes;
    planes.refused = false;
    return before;
}

bool oc__planes_refused(void)
{
    return planes.refused;
}

/* Takes a kept large plane out of the list. */
static oc__plane *large_at(size_t index)
{
    oc__plane *plane = planes.large[index];
    planes.large_count--;
    planes.large_bytes -= plane->size_bytes;
    memmove(&planes.large[index], &planes.large[index + 1],
            (planes.large_count - index) * sizeof *planes.large);
    return plane;
}

/* A kept plane of this size; NULL when there is none. */
static oc__plane *kept(size_t size_bytes)
{
    if (size_bytes <= SMALL_BYTES) {
        return planes.small_count > 0 ? planes.small[--planes.small_count] : NULL;
    }
    for (size_t i = planes.large_count; i-- > 0;) {
        if (planes.large[i]->size_bytes == size_bytes) {
            return large_at(i);
        }
    }
    return NULL;
}

static void keep(oc__plane *plane)
{
    if (plane->size_bytes <= SMALL_BYTES && planes.small_count < MAX_SMALL) {
        planes.small[planes.small_count++] = plane;
    } else if (plane->size_bytes >= LARGE_BYTES) {
        if (planes.large_count == MAX_LARGE) {
            free(large_at(0));
        }
        planes.large[planes.large_count++] = plane;
        planes.large_bytes += plane->size_bytes;
    } else {
        free(plane);
    }
}

static oc__plane *allocate(size_t size_bytes)
{
    size_t room = size_bytes <= SMALL_BYTES ? SMALL_BYTES : size_bytes;
    if (room > SIZE_MAX - sizeof(oc__plane) - HUGE_PAGE) {
        return NULL;
    }
    bool large = room >= LARGE_BYTES;
    size_t total = (sizeof(oc__plane) + room + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    // Clearing a huge page takes less than the faults of half as many small ones.
    size_t rest = total % HUGE_PAGE;
    total += large && rest >= LARGE_BYTES ? HUGE_PAGE - rest : 0;
    void *plane = aligned_alloc(large ? HUGE_PAGE : ALIGNMENT, total);
    // Where the kernel has no huge pages nothing changes.
    if (plane && large) {
        (void)madvise(plane, total, MADV_HUGEPAGE);
    }
    return plane;
}

oc__plane *oc__plane_make(size_t count, size_t size)
{
    size_t size_bytes;
    if (!oc__size_mul(count, size, &size_bytes)) {
        planes.refused = planes.limited;
        return NULL;
    }
    if (planes.limited && (size_bytes > planes.max_bytes ||
                           planes.alive_bytes > planes.max_bytes - size_bytes)) {
        planes.refused = true;
        return NULL;
    }
    oc__plane *plane = kept(size_bytes);
    if (!plane) {
        plane = allocate(size_bytes);
    }
    if (!plane) {
        return NULL;
    }
    plane->references = 1;
    plane->size_bytes = size_bytes;
    planes.alive_bytes += size_bytes;
    planes.alive_count++;
    if (planes.alive_bytes > planes.most_bytes) {
        planes.most_bytes = planes.alive_bytes;
    }
    while (planes.large_bytes > planes.most_bytes - planes.alive_bytes) {
        free(large_at(0));
    }
    return plane;
}

oc__plane *oc__plane_retain(oc__plane *plane)
{
    if (plane) {
        plane->references++;
    }
    return plane;
}

void oc__plane_release(oc__plane *plane)
{
    if (!plane || --plane->references > 0) {
        return;
    }
    planes.alive_bytes -= plane->size_bytes;
    planes.alive_count--;
    keep(plane);
    if (planes.alive_count == 0) {
        planes.most_bytes = 0;
        while (planes.small_count > 0) {
            free(planes.small[--planes.small_count]);
        }
        while (planes.large_count > 0) {
            free(large_at(0));
        }
    }
}
