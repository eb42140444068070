/* Time for measuring and for deadlines: CLOCK_MONOTONIC, which a jump of the wall clock
 * does not move. */
#ifndef ONCHIP_BASE_CLOCK_H
#define ONCHIP_BASE_CLOCK_H

#include <stdint.h>

/* Microseconds. */
int64_t oc__now_us(void);

/* Seconds. */
static inline double oc__now_s(void)
{
    return 1e-6 * (double)oc__now_us();
}

#endif
