/* The learner's function of the project that the engine's tests check. */
#ifndef TINY_H
#define TINY_H

#include <stddef.h>

int tiny_sum(const int *values, size_t count);

#endif
