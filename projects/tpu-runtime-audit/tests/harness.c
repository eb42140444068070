/* The part of the check that is linked with the learner's file: calls the functions of
 * audit.h with known inputs and says what came out (protocol.h). `onchip audit`
 * compiles and runs it; by hand, from the root of the sources:
 *
 *     cc -std=c17 -I projects/tpu-runtime-audit \
 *         projects/tpu-runtime-audit/tests/harness.c FILE.c \
 *         $(pkg-config --cflags --libs build/onchip.pc) -o harness
 *     ONCHIP_AUDIT_FD=3 ONCHIP_AUDIT_STAGE=4 ./harness 3>&1
 *
 * Every expected value is exact arithmetic or an integer; none is taken from a
 * learner's function. */
#include "audit.h"
#include "protocol.h"
#include "stage_dtype.h"
#include "stage_evidence.h"
#include "stage_participants.h"
#include "stage_together.h"

enum { STAGES = 4, TIMEOUT_MS = 60000 };

static long number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end = NULL;
    long value = text == NULL ? -1 : strtol(text, &end, 10);
    return end == NULL || end == text || *end != '\0' ? -1 : value;
}

static void open_harness_device(const oc_device_options *options)
{
    oc_error err = {0};
    oc_status rc = oc_device_open(options, &device, &err);
    if (rc == OC_OK && oc_device_platform(device)->addressable_count < PARTICIPANTS) {
        rc = OC_PLUGIN;
        (void)snprintf(err.text, sizeof err.text,
                       "the plugin gives fewer than three CPU devices");
    }
    if (rc != OC_OK) {
        give_up("oc_device_open", rc, &err);
    }
}

static void run_stages(long last)
{
    const char *plugin = getenv("ONCHIP_AUDIT_PLUGIN");
    oc_device_options options = {.platform = "cpu",
                                 .plugin =
                                     plugin != NULL && *plugin != '\0' ? plugin : NULL,
                                 .cpu_devices = PARTICIPANTS,
                                 .timeout_ms = TIMEOUT_MS};
    collective seen = {0};
    audit_description description;
    for (long stage = 1; stage <= last; stage++) {
        send_line("stage %ld", stage);
        switch (stage) {
        case 1:
            open_harness_device(&options);
            stage_dtype();
            send_line(
                "say the weights are BF16 in storage and float32 in the product: a "
                "dtype path, not a native BF16 kernel and not TPU accumulation");
            break;
        case 2:
            seen = stage_participants();
            say_sums(&seen);
            break;
        case 3: stage_evidence(&seen, &description); break;
        default: stage_together(&options, &description, open_harness_device); break;
        }
        send_line("pass %ld", stage);
    }
    oc_device_close(device);
    device = NULL;
}

int main(void)
{
    long descriptor = number_of("ONCHIP_AUDIT_FD");
    long last = number_of("ONCHIP_AUDIT_STAGE");
    /* The plugin's process must not hold the channel open. */
    if (descriptor < 0 || descriptor > 1023 || last < 1 || last > STAGES ||
        fcntl((int)descriptor, F_SETFD, FD_CLOEXEC) != 0) {
        fputs("harness: run it through `onchip audit`\n", stderr);
        return OC_EXIT_USAGE;
    }
    channel = (int)descriptor;
    run_stages(last);
    send_line("end");
    return OC_EXIT_PASS;
}
