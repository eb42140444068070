/* The room `checkpoint` as a program, for test_checkpoint_format.py to hold beside a
 * writer and a reader in Python.
 *
 *     checkpoint_peer write FOLDER STEP STATE_HASH [KEY=VALUE ...] -- [NAME ...]
 *         the files of these names in the working folder
 *     checkpoint_peer scan FOLDER [KEY=VALUE ...]
 *         a line each: step, then "good STATE_HASH", "other KEY" or "damaged WHY"
 *     checkpoint_peer read FOLDER NAME
 *         that file of the newest good one, on stdout */
#include "checkpoint/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 26 };

/* Pairs up to "--" or the end; the arguments that they take. */
static int take_identity(char **arguments, oc__checkpoint_identity *identity)
{
    int taken = 0;
    for (; arguments[taken] && strcmp(arguments[taken], "--") != 0; taken++) {
        char *value = strchr(arguments[taken], '=');
        if (!value || identity->count == OC__CHECKPOINT_KEYS) {
            abort();
        }
        *value = '\0';
        identity->keys[identity->count++] =
            (oc__checkpoint_key){arguments[taken], value + 1};
    }
    return taken;
}

static oc_status write_one(char **arguments, oc_error *err)
{
    oc__checkpoint_identity identity = {0};
    oc__checkpoint_file files[OC__CHECKPOINT_FILES];
    char *data[OC__CHECKPOINT_FILES] = {0};
    oc__checkpoint_state state = {.step = strtoll(arguments[1], NULL, 10),
                                  .state_hash = arguments[2],
                                  .files = files};
    oc_status rc = OC_OK;
    char **names = arguments + 3 + take_identity(arguments + 3, &identity);
    for (names += *names != NULL; rc == OC_OK && *names; names++) {
        size_t size = 0;
        if (state.file_count == OC__CHECKPOINT_FILES) {
            abort();
        }
        rc = oc__file_read(*names, MAX_FILE, &data[state.file_count], &size, err);
        files[state.file_count] =
            (oc__checkpoint_file){*names, {data[state.file_count], size}};
        state.file_count++;
    }
    if (rc == OC_OK) {
        rc = oc__checkpoint_write(arguments[0], &identity, &state, err);
    }
    for (size_t i = 0; i < OC__CHECKPOINT_FILES; i++) {
        free(data[i]);
    }
    return rc;
}

static oc_status scan(char **arguments, oc_error *err)
{
    oc__checkpoint_identity identity = {0};
    oc__checkpoint_list list;
    take_identity(arguments + 1, &identity);
    oc_status rc = oc__checkpoint_scan(arguments[0], &identity, &list, err);
    for (size_t i = 0; rc == OC_OK && i < list.count; i++) {
        const oc__checkpoint *item = &list.items[i];
        printf("%" PRId64 " %s %s\n", item->step,
               item->good        ? "good"
               : item->other_run ? "other"
                                 : "damaged",
               item->good        ? item->state_hash
               : item->other_run ? item->key
                                 : item->why);
    }
    oc__checkpoint_list_free(&list);
    return rc;
}

static oc_status read_newest(char **arguments, oc_error *err)
{
    oc__checkpoint_list list;
    void *data = NULL;
    size_t size = 0;
    oc_status rc = oc__checkpoint_scan(arguments[0], NULL, &list, err);
    const oc__checkpoint *newest = oc__checkpoint_newest(&list);
    if (rc == OC_OK && !newest) {
        rc = OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "there is none");
    } else if (rc == OC_OK) {
        rc = oc__checkpoint_read(newest, arguments[1], &data, &size, err);
    }
    fwrite(data ? data : "", 1, size, stdout);
    free(data);
    oc__checkpoint_list_free(&list);
    return rc;
}

int main(int argc, char **argv)
{
    oc_error err = {0};
    oc_status rc = OC_INVALID_ARGUMENT;
    if (argc >= 5 && strcmp(argv[1], "write") == 0) {
        rc = write_one(argv + 2, &err);
    } else if (argc >= 3 && strcmp(argv[1], "scan") == 0) {
        rc = scan(argv + 2, &err);
    } else if (argc == 4 && strcmp(argv[1], "read") == 0) {
        rc = read_newest(argv + 2, &err);
    }
    if (rc != OC_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    return rc == OC_OK ? 0 : 2;
}
