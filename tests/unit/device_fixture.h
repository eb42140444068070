/* A plugin driven through the lesson's prediction by the room device alone. */
#ifndef ONCHIP_TESTS_DEVICE_FIXTURE_H
#define ONCHIP_TESTS_DEVICE_FIXTURE_H

#include "unit.h"

#include "device/device.h"

enum { FIXTURE_ROWS = 8, FIXTURE_LONG_MS = 60000, FIXTURE_SHORT_MS = 700 };

/* What came of it: the first failure, or the output. */
typedef struct fixture_run {
    oc_device *device; /* NULL only when memory ran out */
    oc_status rc;
    oc_error err;
    oc_device_output output; /* when rc is OC_OK */
} fixture_run;

/* The path of a fake, by the name that tests/fakes/README.md gives it; one at a time.
 */
const char *fixture_fake(const char *name);

/* Opens `plugin` with 4 virtual devices and runs the prediction on the first one. */
fixture_run fixture_predict(const char *plugin, int64_t timeout_ms);
/* Releases it and asserts that no process of it is left. */
void fixture_end(fixture_run *run);

/* Compiles the prediction; the number of its program, or the error. */
oc_status fixture_compile(oc_device *device, int64_t *out_program, oc_error *err);

/* No child is left, dead or alive, nor anything that a child started. */
void fixture_assert_no_process(void);

/* The values that the lesson's prediction must have, (15 i + 7) / 32 + 1 / 8. */
void fixture_assert_values(const oc_tensor *tensor);

/* For cmocka_run_group_tests. */
int fixture_mark_children(void **state);

#endif
