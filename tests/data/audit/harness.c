/* A harness for the engine's tests: every stage adds 1, 2 and 3, and the third also
 * sends what the evidence needs. No plugin is asked. TINY_OMIT names a note that is
 * left out, TINY_END is a status to end with after the first failure. */
#include "tiny.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void line(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (write(atoi(getenv("ONCHIP_AUDIT_FD")), text, (size_t)size) != size) {
        _exit(5);
    }
}

static void note(const char *key, const char *value)
{
    const char *omitted = getenv("TINY_OMIT");
    if (!omitted || strcmp(omitted, key) != 0) {
        line("note %s\t%s\n", key, value);
    }
}

static void notes(void)
{
    note("backend", "cpu");
    note("device_count", "3");
    note("device", "CpuDevice(id=0)");
    note("device", "CpuDevice(id=1)");
    note("device", "CpuDevice(id=2)");
    note("storage_dtype", "bfloat16");
    note("operand_dtype", "float32");
    note("result_dtype", "float32");
    note("scope", "observed on a CPU; nothing of a TPU was observed");
    note("simulated_sum", "6");
    note("simulated_sum_without", "4");
    note("collective_sum", "6");
    note("collective_devices", "CpuDevice(id=0)");
    note("collective_devices", "CpuDevice(id=1)");
    note("collective_devices", "CpuDevice(id=2)");
    note("matmul_exact", "true");
}

int main(void)
{
    int last = atoi(getenv("ONCHIP_AUDIT_STAGE"));
    const char *end = getenv("TINY_END");
    for (int stage = 1; stage <= last; stage++) {
        static const int numbers[] = {1, 2, 3};
        int *values = malloc(sizeof numbers);
        memcpy(values, numbers, sizeof numbers);
        line("stage %d\n", stage);
        line("call tiny_sum\n");
        int sum = tiny_sum(values, 3);
        free(values);
        if (sum != 6) {
            line("fail tiny_sum\t6\t%d\tadd all three\n", sum);
            _exit(end ? atoi(end) : 1);
        }
        line("say the sum is %d\n", sum);
        if (stage == 3) {
            notes();
        }
        line("pass %d\n", stage);
    }
    line("end\n");
    return 0;
}
