/* Runs a fuzz target over files and folders of inputs without libFuzzer, so that every
 * test run replays the corpus. Each input lies in memory of exactly its size, with no
 * NUL behind it, for AddressSanitizer to see a read past it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replayed;

static int replay_file(const char *path, size_t size)
{
    int failed = 1;
    uint8_t *data = malloc(size); // of 0 bytes too: nothing there may be read
    FILE *file = fopen(path, "rbe");
    if (file && fread(data, 1, size, file) == size) {
        LLVMFuzzerTestOneInput(data, size);
        replayed++;
        failed = 0;
    } else {
        perror(path);
    }
    if (file) {
        fclose(file);
    }
    free(data);
    return failed;
}

static int replay(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(status.st_mode)) {
        return replay_file(path, (size_t)status.st_size);
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    int failed = count < 0;
    for (int i = 0; i < count; i++) {
        char inside[4096];
        if (entries[i]->d_name[0] != '.') {
            int length =
                snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
            failed |= length >= (int)sizeof inside || replay(inside);
        }
        free(entries[i]);
    }
    free(entries);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        failed |= replay(argv[i]);
    }
    printf("%zu inputs replayed\n", replayed);
    return failed || replayed == 0;
}
