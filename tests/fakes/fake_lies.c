/* What each lie does. A lie that is not named here stands in the table (fake_api.c) or
 * in the arithmetic (fake_execute.c). */
#include "fake.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NOISE_BYTES = 3 << 20,
    LAST_CLOSED_FD = 20,
    LAST_SPOILT_FD = 1023,
    CHILD_LIFE_S = 60 /* so that a test's leftovers end by themselves */
};

static _Noreturn PJRT_Error *hang(void)
{
    for (;;) {
        pause();
    }
}

static PJRT_Error *fail_initialize(void)
{
    return fake_error(PJRT_Error_Code_ABORTED,
                      "Internal error when accessing the FAKE lockfile.");
}

static PJRT_Error *fail_create(void)
{
    return fake_error(PJRT_Error_Code_FAILED_PRECONDITION, "No visible FAKE devices.");
}

static PJRT_Error *fail_compile(void)
{
    char repeated[4096];
    memset(repeated, 'x', sizeof repeated - 1);
    repeated[sizeof repeated - 1] = 0;
    return fake_error(
        PJRT_Error_Code_INVALID_ARGUMENT,
        "first line of the fake's error\nsecond line\twith a tab\r\n"
        "\033[31mthird line in red\033[0m, a bell \a, \x01 and bad UTF-8 \xff\n"
        "and a long one: %s\nlast line of the fake's error",
        repeated);
}

static PJRT_Error *fail_without_message(void)
{
    PJRT_Error *error = fake_error(PJRT_Error_Code_INTERNAL, "x");
    free(error->message);
    error->message = NULL;
    return error;
}

static PJRT_Error *fail_without_code(void)
{
    return fake_error(PJRT_Error_Code_OK, "The fake failed and says code OK.");
}

/* The default action, also where a sanitizer has put a handler of its own. */
static PJRT_Error *die_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
    return NULL;
}

static PJRT_Error *crash(void)
{
    return die_by(SIGSEGV);
}

static PJRT_Error *die_by_abort(void)
{
    return die_by(SIGABRT);
}

static _Noreturn PJRT_Error *leave(void)
{
    _exit(0);
}

static void write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written <= 0) {
            return;
        }
        bytes += written;
        size -= (size_t)written;
    }
}

static PJRT_Error *make_noise(void)
{
    char *noise = fake_alloc(NOISE_BYTES, 1);
    for (size_t i = 0; i < NOISE_BYTES; i++) {
        noise[i] = i % 64 == 63 ? '\n' : 'n';
    }
    write_all(STDOUT_FILENO, noise, NOISE_BYTES);
    write_all(STDERR_FILENO, noise, NOISE_BYTES);
    free(noise);
    return NULL;
}

static PJRT_Error *close_files(void)
{
    for (int fd = 0; fd <= LAST_CLOSED_FD; fd++) {
        close(fd);
    }
    return NULL;
}

static PJRT_Error *spoil_files(void)
{
    static const char junk[] =
        "{\"junk\": \0\xff\xff\xff\xff} this came from the plugin\n";
    for (int fd = STDERR_FILENO + 1; fd <= LAST_SPOILT_FD; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            write_all(fd, junk, sizeof junk);
        }
    }
    return NULL;
}

static PJRT_Error *leave_child(void)
{
    static bool left;
    if (!left && fork() == 0) {
        alarm(CHILD_LIFE_S);
        hang();
    }
    left = true;
    return NULL;
}

static _Noreturn PJRT_Error *ignore_term(void)
{
    signal(SIGTERM, SIG_IGN);
    hang();
}

static void on_signal(int number)
{
    (void)number;
}

/* As libtpu does: handlers of its own, and broken pipes ignored. */
static PJRT_Error *change_signals(void)
{
    static const int handled[] = {SIGSEGV, SIGABRT, SIGTERM, SIGFPE, SIGBUS, SIGILL};
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++) {
        signal(handled[i], on_signal);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGPROF, SIG_IGN);
    return NULL;
}

PJRT_Error *fake_lies_act(enum fake_boundary at)
{
    static const struct {
        enum fake_lie lie;
        enum fake_boundary at;
        PJRT_Error *(*act)(void);
    } acts[] = {
        {LIE_HANGS_IN_INITIALIZE, FAKE_AT_INITIALIZE, hang},
        {LIE_INIT_FAILS_OTHER, FAKE_AT_INITIALIZE, fail_initialize},
        {LIE_CHANGES_SIGNALS, FAKE_AT_INITIALIZE, change_signals},
        {LIE_HANGS_IN_CREATE, FAKE_AT_CREATE, hang},
        {LIE_INIT_FAILS, FAKE_AT_CREATE, fail_create},
        {LIE_HANGS_IN_COMPILE, FAKE_AT_COMPILE, hang},
        {LIE_SEGFAULT_IN_COMPILE, FAKE_AT_COMPILE, crash},
        {LIE_COMPILE_ERROR, FAKE_AT_COMPILE, fail_compile},
        {LIE_NOISY, FAKE_AT_COMPILE, make_noise},
        {LIE_CLOSES_STDIO, FAKE_AT_COMPILE, close_files},
        {LIE_WRITES_GARBAGE_FDS, FAKE_AT_COMPILE, spoil_files},
        {LIE_FORKS_CHILD, FAKE_AT_COMPILE, leave_child},
        {LIE_IGNORES_TERM, FAKE_AT_COMPILE, ignore_term},
        {LIE_ABORTS_IN_EXECUTE, FAKE_AT_EXECUTE, die_by_abort},
        {LIE_EXITS_IN_EXECUTE, FAKE_AT_EXECUTE, leave},
        {LIE_ERROR_WITHOUT_MESSAGE, FAKE_AT_EXECUTE, fail_without_message},
        {LIE_ERROR_NULL_CODE, FAKE_AT_EXECUTE, fail_without_code},
    };
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        if (acts[i].lie == fake_lie && acts[i].at == at) {
            return acts[i].act();
        }
    }
    return NULL;
}

size_t fake_lies_count(size_t count)
{
    if (fake_lie == LIE_NO_DEVICES) {
        return 0;
    }
    if (fake_lie == LIE_FEW_DEVICES) {
        return 1;
    }
    if (fake_lie == LIE_OTHER_DEVICE && count < 2) {
        return 2; /* one to be asked for and another to end on */
    }
    return count;
}

void fake_lies_values(float *values, size_t count)
{
    size_t middle = count / 2;
    if (fake_lie == LIE_ONE_ULP) {
        values[middle] = nextafterf(values[middle], INFINITY);
    }
    if (fake_lie == LIE_NAN) {
        values[middle] = NAN;
    }
    if (fake_lie == LIE_ROWS_SWAPPED && count > 1) {
        float kept = values[middle];
        values[middle] = values[middle - 1];
        values[middle - 1] = kept;
    }
}

float fake_lies_sum(float sum, size_t replica)
{
    return fake_lie == LIE_COLLECTIVE_WRONG && replica == 1 ? sum + 1 : sum;
}

static void move(PJRT_Buffer *output, PJRT_Device *device)
{
    output->device = device;
    output->memory = &device->memories[FAKE_DEVICE_MEMORY];
}

void fake_lies_output(PJRT_Client *client, const struct fake_program *program,
                      PJRT_Buffer *output)
{
    size_t id = (size_t)output->device->description.id;
    switch (fake_lie) {
    case LIE_OTHER_DEVICE:
        move(output, &client->devices[(id + 1) % client->num_devices]);
        break;
    case LIE_FOREIGN_DEVICE: move(output, &client->devices[client->num_devices]); break;
    case LIE_COLLECTIVE_MISPLACED:
        if (program->kind == FAKE_ALL_REDUCE) {
            move(output, &client->devices[0]);
        }
        break;
    case LIE_HOST_MEMORY:
        output->memory = &output->device->memories[FAKE_UNPINNED_HOST];
        break;
    case LIE_WRONG_SHAPE:
        if (output->num_dims == 1 && output->dims[0] % 2 == 0) {
            output->dims[0] /= 2;
            output->dims[output->num_dims++] = 2;
        }
        break;
    case LIE_WRONG_DTYPE: output->type = PJRT_Buffer_Type_S32; break;
    case LIE_NEVER_COMPLETES: output->never_ready = true; break;
    default: break;
    }
}
