#include "reference/value.h"

#include "base/strbuf.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 64,
    SMALL_BYTES = 64,
    MAX_SPARES = 64,
    HUGE_PAGE = 2 << 20,
    LARGE_BYTES = 4 << 20
};

/* The planes of one thread. Scalars come and go by the million in loops and regions,
 * and an aligned allocation is the dearest part of them: a few small planes are kept
 * for reuse while any plane is alive. */
static _Thread_local struct {
    size_t alive_bytes, alive_count;
    bool limited;
    size_t max_bytes;
    bool refused;
    size_t spare_count;
    oc__plane *spares[MAX_SPARES];
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

static oc__plane *allocate(size_t size_bytes)
{
    if (size_bytes <= SMALL_BYTES && planes.spare_count > 0) {
        return planes.spares[--planes.spare_count];
    }
    size_t room = size_bytes <= SMALL_BYTES ? SMALL_BYTES : size_bytes;
    if (room > SIZE_MAX - sizeof(oc__plane) - HUGE_PAGE) {
        return NULL;
    }
    size_t alignment = room >= LARGE_BYTES ? HUGE_PAGE : ALIGNMENT;
    size_t total = (sizeof(oc__plane) + room + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *plane = aligned_alloc(alignment, total);
    // Every kernel touches fresh pages, which costs more than its arithmetic; where the
    // kernel has no huge pages nothing changes.
    if (plane && alignment == HUGE_PAGE) {
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
    oc__plane *plane = allocate(size_bytes);
    if (plane) {
        plane->references = 1;
        plane->size_bytes = size_bytes;
        planes.alive_bytes += size_bytes;
        planes.alive_count++;
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
    if (plane->size_bytes <= SMALL_BYTES && planes.spare_count < MAX_SPARES) {
        planes.spares[planes.spare_count++] = plane;
    } else {
        free(plane);
    }
    while (planes.alive_count == 0 && planes.spare_count > 0) {
        free(planes.spares[--planes.spare_count]);
    }
}
