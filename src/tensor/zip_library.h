/* libzip, loaded when the first .npz is opened: with it comes libcrypto, whose start
 * takes longer than all of `onchip verify`. The functions are libzip's own. */
#ifndef ONCHIP_TENSOR_ZIP_LIBRARY_H
#define ONCHIP_TENSOR_ZIP_LIBRARY_H

#include <zip.h>

#define OC__ZIP_FUNCTIONS(X)                                                           \
    X(discard)                                                                         \
    X(error_fini)                                                                      \
    X(error_init_with_code)                                                            \
    X(error_strerror)                                                                  \
    X(fclose)                                                                          \
    X(fdopen)                                                                          \
    X(file_strerror)                                                                   \
    X(fopen_index)                                                                     \
    X(fread)                                                                           \
    X(get_name)                                                                        \
    X(get_num_entries)                                                                 \
    X(name_locate)                                                                     \
    X(stat_index)                                                                      \
    X(strerror)

typedef struct oc__zip_library {
#define OC__ZIP_MEMBER(name) __typeof__(zip_##name) *name;
    OC__ZIP_FUNCTIONS(OC__ZIP_MEMBER)
#undef OC__ZIP_MEMBER
} oc__zip_library;

/* NULL when the library is not there. Safe from any thread. */
const oc__zip_library *oc__zip(void);

#endif
