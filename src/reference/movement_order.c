#include "reference/movement.h"

#include <string.h>

/* One run of two sorted ones; the left one first where keys are equal. */
static void merge(const oc__keyed *left, size_t left_count, const oc__keyed *right,
                  size_t right_count, oc__keyed *out)
{
    size_t i = 0, j = 0;
    while (i < left_count && j < right_count) {
        *out++ = right[j].key < left[i].key ? right[j++] : left[i++];
    }
    memcpy(out, left + i, (left_count - i) * sizeof *out);
    memcpy(out + (left_count - i), right + j, (right_count - j) * sizeof *out);
}

static void sort_few(oc__keyed *list, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        oc__keyed x = list[i];
        size_t j = i;
        for (; j > 0 && list[j - 1].key > x.key; j--) {
            list[j] = list[j - 1];
        }
        list[j] = x;
    }
}

void oc__sort_keyed(oc__keyed *list, oc__keyed *spare, size_t n)
{
    enum { FEW = 16 };
    size_t ordered = 1;
    while (ordered < n && list[ordered - 1].key <= list[ordered].key) {
        ordered++;
    }
    if (ordered >= n) {
        return;
    }
    for (size_t i = 0; i < n; i += FEW) {
        sort_few(list + i, n - i < FEW ? n - i : FEW);
    }
    oc__keyed *from = list, *to = spare;
    for (size_t width = FEW; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t left = n - i < width ? n - i : width;
            size_t right = n - i - left < width ? n - i - left : width;
            merge(from + i, left, from + i + left, right, to + i);
        }
        oc__keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != list) {
        memcpy(list, from, n * sizeof *list);
    }
}
