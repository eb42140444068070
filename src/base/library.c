#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool oc__library_find(const char *file, const char *const *names, size_t count,
                      void *functions)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < count; i++) {
        void *found = dlsym(library, names[i]);
        if (!found) {
            dlclose(library);
            return false;
        }
        // ISO C has no cast from data to function.
        memcpy((char *)functions + i * sizeof found, &found, sizeof found);
    }
    return library != NULL;
}
