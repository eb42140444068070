#include "tiny.h"

int tiny_sum(const int *values, size_t count)
{
    int sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}
