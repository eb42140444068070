#include "reference/kernel.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

static const oc__kernel *const tables[] = {
    oc__kernels_real,      oc__kernels_special,  oc__kernels_integer,
    oc__kernels_movement,  oc__kernels_contract, oc__kernels_linear,
    oc__kernels_quantized, oc__kernels_control,  oc__kernels_collective,
};

/* Open addressing over every row; much larger than the opset (about 200 names). */
enum { SLOTS = 1024 };
static const oc__kernel *slots[SLOTS];
static pthread_once_t filled = PTHREAD_ONCE_INIT;

/* FNV-1a. */
static size_t hash(const char *name)
{
    uint32_t h = 2166136261U;
    for (const char *c = name; *c; c++) {
        h = (h ^ (unsigned char)*c) * 16777619U;
    }
    return h % SLOTS;
}

/* Where the name stands, or the free slot where it would. */
static size_t place(const char *name)
{
    size_t at = hash(name);
    while (slots[at] && strcmp(slots[at]->op, name) != 0) {
        at = (at + 1) % SLOTS;
    }
    return at;
}

static void fill(void)
{
    size_t count = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (const oc__kernel *row = tables[t]; row->op; row++) {
            size_t at = place(row->op);
            OC_ASSERT(!slots[at] && ++count < SLOTS / 2);
            slots[at] = row;
        }
    }
}

const oc__kernel *oc__kernel_find(const char *op_name)
{
    (void)pthread_once(&filled, fill);
    return slots[place(op_name)];
}

bool oc__is_constant(const oc__hlo_op *op)
{
    const char *dot = strchr(op->name, '.');
    return dot && strcmp(dot, ".constant") == 0;
}
