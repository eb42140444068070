/* What the two halves of the self-test share: fake_selftest_calls.c wraps the calls,
 * fake_selftest.c says what must come out. */
#ifndef FAKE_SELFTEST_H
#define FAKE_SELFTEST_H

#include <pjrt_c_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SELFTEST_DEVICES = 2, SELFTEST_TEXT = 8192 };

extern const PJRT_Api *selftest_api;
extern char selftest_failure[SELFTEST_TEXT];

#define ARGS(variable, fn, ...)                                                        \
    PJRT_##fn##_Args variable = {.struct_size = PJRT_##fn##_Args_STRUCT_SIZE,          \
                                 __VA_ARGS__}
#define CALL(variable, fn)                                                             \
    selftest_good(selftest_api->PJRT_##fn(&(variable)), "PJRT_" #fn)

/* Every function below says what is wrong by selftest_fail and returns false or NULL.
 */

/* Keeps the first failure's sentence; always false. */
bool selftest_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Takes over `error`, which must be NULL. */
bool selftest_good(PJRT_Error *error, const char *what);
/* Takes over `error`, which must have `code` and a message that contains `words`. */
bool selftest_refused(PJRT_Error *error, int code, const char *words, const char *what);
/* Awaits and destroys `event`. */
bool selftest_settle(PJRT_Event *event, const char *what);

/* Loads the plugin into selftest_api, checks its table and initializes it. */
bool selftest_open_table(const char *path);
/* A client of SELFTEST_DEVICES devices, whose list it also gives. */
bool selftest_open_client(PJRT_Client **out, PJRT_Device *const **out_devices);
bool selftest_check_device(PJRT_Device *device, int id);
PJRT_LoadedExecutable *selftest_compile(PJRT_Client *client, const char *text,
                                        const char *options, size_t options_size);
bool selftest_check_executable(PJRT_LoadedExecutable *loaded, size_t outputs,
                               size_t replicas);
PJRT_Buffer *selftest_put(PJRT_Client *client, PJRT_Device *device, const float *data,
                          const int64_t *dims, size_t num_dims);
/* Checks where an output is and what it holds, and reads `count` values of it. */
bool selftest_get(PJRT_Buffer *buffer, PJRT_Device *device, float *values, size_t count,
                  size_t rank, const char *what);

#endif
