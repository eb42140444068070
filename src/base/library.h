/* A shared library that is loaded when it is wanted: one that takes long to start, and
 * that most runs do not need. */
#ifndef ONCHIP_BASE_LIBRARY_H
#define ONCHIP_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Finds `count` functions by name in `file` ("libzip.so.4"), which then stays loaded.
 * False when the file or one of them is not there. `functions` points to an array of
 * function pointers. */
bool oc__library_find(const char *file, const char *const *names, size_t count,
                      void *functions);

#endif
