/* A job of the event protocol (docs/launch-protocol.md) that costs nothing: a state of
 * four words is stirred once a step. It keeps trajectory.bin in the run folder, one
 * state a step, and a checkpoint every two steps, of which it keeps two.
 *
 *     fault_job [--step-ms N] [--flood BYTES] [--stop-at STEP] [--folder DIR]
 *
 * --step-ms: what a step takes; --flood: written to standard output first; --stop-at:
 * ends there with status 0, as if it were done; --folder: a file of this folder is
 * written and synced in every step. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    EVERY = 2,
    KEPT = 2,
    MANY = 64,
    WORDS = 4,
    HEX = 2 * SHA256_DIGEST_SIZE + 1,
    PATH = 4096
};

static uint64_t state[WORDS]; /* the step first */
static const char *checkpoints;
static volatile sig_atomic_t asked_to_stop;

static void on_term(int number)
{
    (void)number;
    asked_to_stop = 1;
}

static _Noreturn void fail(const char *what)
{
    dprintf(3, "{\"event\": \"failed\", \"kind\": \"io\", \"message\": \"%s: %s\"}\n",
            what, strerror(errno));
    _exit(5);
}

static void check(bool good, const char *what)
{
    if (!good) {
        fail(what);
    }
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    errno = EINVAL;
    check(value, name);
    return value;
}

static void sha256(const void *data, size_t size, char out[HEX])
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, size, data);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    }
}

static void write_all(int fd, const void *data, size_t size, const char *what)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = write(fd, (const char *)data + done, size - done);
        check(got >= 0 || errno == EINTR, what);
        done += got > 0 ? (size_t)got : 0;
    }
}

/* `value`, which is negative when the call failed. */
static int good(int value, const char *what)
{
    check(value >= 0, what);
    return value;
}

static void sync_folder(const char *path)
{
    int fd = good(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
    good(fsync(fd), path);
    close(fd);
}

static void write_file(const char *folder, const char *name, const void *data,
                       size_t size)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = good(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), path);
    write_all(fd, data, size, path);
    good(fsync(fd), path);
    good(close(fd), path);
}

static void step_path(uint64_t step, char out[PATH])
{
    snprintf(out, PATH, "%s/step-%08" PRIu64, checkpoints, step);
}

static int newest_first(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a;
    uint64_t other = *(const uint64_t *)b;
    return one < other ? 1 : one > other ? -1 : 0;
}

/* The steps of the checkpoints that are there, newest first. */
static size_t list_steps(uint64_t out[MANY])
{
    size_t count = 0;
    DIR *folder = opendir(checkpoints);
    check(folder != NULL, checkpoints);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < MANY;) {
        if (strncmp(entry->d_name, "step-", 5) == 0) {
            out[count++] = strtoull(entry->d_name + 5, NULL, 10);
        }
    }
    closedir(folder);
    qsort(out, count, sizeof *out, newest_first);
    return count;
}

/* The digest that the newest manifest says of itself, at its end; null without one. */
static void parent_digest(char out[HEX + 2])
{
    char path[PATH];
    char text[PATH];
    uint64_t steps[MANY];
    snprintf(out, HEX + 2, "null");
    if (list_steps(steps) == 0) {
        return;
    }
    step_path(steps[0], path);
    strncat(path, "/manifest.json", sizeof path - strlen(path) - 1);
    int fd = good(open(path, O_RDONLY | O_CLOEXEC), path);
    ssize_t size = read(fd, text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    char *last = NULL;
    for (char *at = text; (at = strstr(at, "\"sha256\": \"")) != NULL; at++) {
        last = at;
    }
    if (last) {
        snprintf(out, HEX + 2, "\"%.64s\"", last + strlen("\"sha256\": \""));
    }
    close(fd);
}

static void remove_checkpoint(uint64_t step)
{
    char path[PATH];
    char gone[PATH];
    char file[PATH + 16];
    step_path(step, path);
    snprintf(gone, sizeof gone, "%s/tmp-%d-%" PRIu64, checkpoints, (int)getpid(), step);
    good(rename(path, gone), path);
    snprintf(file, sizeof file, "%s/manifest.json", gone);
    good(unlink(file), file);
    snprintf(file, sizeof file, "%s/state.bin", gone);
    good(unlink(file), file);
    good(rmdir(gone), gone);
}

static void write_checkpoint(void)
{
    char temporary[PATH];
    char path[PATH];
    char text[PATH];
    char digest[HEX];
    char parent[HEX + 2];
    snprintf(temporary, sizeof temporary, "%s/tmp-%d-%" PRIu64, checkpoints,
             (int)getpid(), state[0]);
    step_path(state[0], path);
    parent_digest(parent);
    good(mkdir(temporary, 0777), temporary);
    write_file(temporary, "state.bin", state, sizeof state);
    sha256(state, sizeof state, digest);
    /* The one text that a manifest has; its last three bytes close it. */
    int size = snprintf(text, sizeof text,
                        "{\n"
                        "  \"format\": \"onchip.checkpoint/1\",\n"
                        "  \"step\": %" PRIu64 ",\n"
                        "  \"state_hash\": \"%s\",\n"
                        "  \"identity\": {\n"
                        "    \"config\": \"%s\"\n"
                        "  },\n"
                        "  \"files\": [\n"
                        "    {\n"
                        "      \"name\": \"state.bin\",\n"
                        "      \"size\": %zu,\n"
                        "      \"sha256\": \"%s\"\n"
                        "    }\n"
                        "  ],\n"
                        "  \"parent_sha256\": %s\n"
                        "}\n",
                        state[0], digest, setting("ONCHIP_CONFIG_SHA256"), sizeof state,
                        digest, parent);
    sha256(text, (size_t)size, digest);
    size -= 3;
    size += snprintf(text + size, sizeof text - (size_t)size,
                     ",\n  \"sha256\": \"%s\"\n}\n", digest);
    write_file(temporary, "manifest.json", text, (size_t)size);
    sync_folder(temporary);
    good(renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE), path);
    sync_folder(checkpoints);
    sha256(state, sizeof state, digest);
    dprintf(3,
            "{\"event\": \"checkpoint\", \"step\": %" PRIu64
            ", \"state_hash\": \"%s\"}\n",
            state[0], digest);
    uint64_t steps[MANY];
    size_t count = list_steps(steps);
    for (size_t i = KEPT; i < count; i++) {
        remove_checkpoint(steps[i]);
    }
}

static void restore(const char *folder)
{
    char path[PATH];
    char digest[HEX];
    snprintf(path, sizeof path, "%s/state.bin", folder);
    int fd = good(open(path, O_RDONLY | O_CLOEXEC), path);
    check(read(fd, state, sizeof state) == (ssize_t)sizeof state, path);
    close(fd);
    sha256(state, sizeof state, digest);
    dprintf(
        3, "{\"event\": \"restored\", \"step\": %" PRIu64 ", \"state_hash\": \"%s\"}\n",
        state[0], digest);
}

/* One round of a mixing of Steele, Lea and Flood (SplitMix, 2014) on each word. */
static void stir(void)
{
    state[0]++;
    for (size_t i = 1; i < WORDS; i++) {
        uint64_t z = state[i] + state[i - 1] * 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        state[i] = z ^ (z >> 27);
    }
}

static void flood(uint64_t bytes)
{
    static char chunk[1 << 20];
    memset(chunk, 'x', sizeof chunk);
    chunk[sizeof chunk - 1] = '\n';
    for (uint64_t done = 0; done < bytes; done += sizeof chunk) {
        write_all(1, chunk, sizeof chunk, "standard output");
    }
}

static void take_step(int trajectory, long step_ms, const char *folder)
{
    char digest[HEX];
    struct timespec time = {.tv_sec = step_ms / 1000,
                            .tv_nsec = step_ms % 1000 * 1000000};
    nanosleep(&time, NULL);
    stir();
    if (folder) {
        char name[32];
        snprintf(name, sizeof name, "%" PRIu64, state[0]);
        write_file(folder, name, state, sizeof state);
    }
    good((int)lseek(trajectory, (off_t)((state[0] - 1) * sizeof state), SEEK_SET),
         "trajectory.bin");
    write_all(trajectory, state, sizeof state, "trajectory.bin");
    sha256(state, sizeof state, digest);
    dprintf(3,
            "{\"event\": \"progress\", \"step\": %" PRIu64
            ", \"loss\": 1.0, \"examples\": 1, \"update_s\": 0.001, \"state_hash\": "
            "\"%s\"}\n",
            state[0], digest);
}

int main(int argc, char **argv)
{
    long step_ms = 0;
    uint64_t stop_at = UINT64_MAX;
    const char *folder = NULL;
    char path[PATH];
    struct sigaction action = {.sa_handler = on_term};
    sigaction(SIGTERM, &action, NULL);
    dprintf(3,
            "{\"event\": \"started\", \"pid\": %d, \"backend\": \"none\", "
            "\"device_count\": 1, \"devices\": [\"none\"]}\n",
            (int)getpid());
    for (int i = 1; i + 1 < argc; i += 2) {
        long long value = strtoll(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--step-ms") == 0) {
            step_ms = (long)value;
        } else if (strcmp(argv[i], "--flood") == 0) {
            flood((uint64_t)value);
        } else if (strcmp(argv[i], "--stop-at") == 0) {
            stop_at = (uint64_t)value;
        } else if (strcmp(argv[i], "--folder") == 0) {
            folder = argv[i + 1];
        }
    }
    checkpoints = setting("ONCHIP_CHECKPOINTS");
    uint64_t steps = strtoull(setting("ONCHIP_STEPS"), NULL, 10);
    if (getenv("ONCHIP_RESUME")) {
        restore(getenv("ONCHIP_RESUME"));
    }
    snprintf(path, sizeof path, "%s/trajectory.bin", setting("ONCHIP_RUN_DIR"));
    int trajectory = good(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), path);
    good(ftruncate(trajectory, (off_t)(state[0] * sizeof state)), path);
    dprintf(3, "{\"event\": \"ready\", \"compile_s\": 0.0, \"warmup_s\": 0.0}\n");
    uint64_t saved = getenv("ONCHIP_RESUME") ? state[0] : UINT64_MAX;
    while (state[0] < steps && !asked_to_stop) {
        if (state[0] == stop_at) {
            return 0;
        }
        take_step(trajectory, step_ms, folder);
        if (state[0] % EVERY == 0 || state[0] == steps || asked_to_stop) {
            good(fdatasync(trajectory), path);
            write_checkpoint();
            saved = state[0];
        }
    }
    if (state[0] < steps) {
        if (state[0] != saved) {
            good(fdatasync(trajectory), path);
            write_checkpoint();
        }
        return 75;
    }
    good(close(trajectory), path);
    dprintf(3, "{\"event\": \"completed\", \"step\": %" PRIu64 "}\n", state[0]);
    return 0;
}
