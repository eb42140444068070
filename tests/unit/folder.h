/* Folders that a test makes and takes away again. */
#ifndef ONCHIP_TESTS_FOLDER_H
#define ONCHIP_TESTS_FOLDER_H

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline int folder_remove_one(const char *path, const struct stat *status,
                                    int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* Leaves the folder and removes it with all that is in it; 0 when it is gone. */
static inline int folder_remove(const char *path)
{
    return chdir("/") == 0 ? nftw(path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS)
                           : -1;
}

/* Entries besides "." and ".."; -1 when it cannot be read. */
static inline int folder_count(const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    return count < 0 ? -1 : count - 2;
}

#endif
