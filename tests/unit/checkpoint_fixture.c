#include "checkpoint_fixture.h"

const oc__checkpoint_identity ck_identity = {
    .keys = {{"config", CK_CONFIG}, {"data", "d1"}}, .count = 2};

static char root[] = "/tmp/onchip-checkpoint-XXXXXX";

int ck_set_up(void **state)
{
    (void)state;
    memcpy(strrchr(root, '-'), "-XXXXXX", 8);
    return mkdtemp(root) && chdir(root) == 0 && mkdir("ck", 0777) == 0 ? 0 : -1;
}

int ck_tear_down(void **state)
{
    (void)state;
    return folder_remove(root);
}

oc_status ck_write(int64_t step, int fill, oc_error *err)
{
    char bytes[CK_STATE_BYTES];
    memset(bytes, fill, sizeof bytes);
    const oc__checkpoint_file files[] = {{"state.bin", {bytes, sizeof bytes}},
                                         {"more.bin", {"more", 4}}};
    const oc__checkpoint_state state = {
        .step = step, .state_hash = CK_STATE_HASH, .files = files, .file_count = 2};
    return oc__checkpoint_write("ck", &ck_identity, &state, err);
}

void ck_put(int64_t step)
{
    oc_error err = {0};
    if (ck_write(step, (int)(step % 100), &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
}

size_t ck_load(const char *path, char text[CK_TEXT_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t got = read(fd, text, CK_TEXT_BYTES - 1);
    close(fd);
    assert_true(got >= 0);
    text[got] = '\0';
    return (size_t)got;
}

void ck_save(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), size);
    close(fd);
}

oc__checkpoint ck_look(int64_t step, const oc__checkpoint_identity *identity)
{
    oc_error err = {0};
    oc__checkpoint_list list;
    oc__checkpoint found = {.step = -1};
    if (oc__checkpoint_scan("ck", identity, &list, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].step == step) {
            found = list.items[i];
            found.path = NULL;
        }
    }
    oc__checkpoint_list_free(&list);
    assert_int_equal(found.step, step);
    // It is good, or there are words for what it is not.
    assert_true(found.good == (found.why[0] == '\0'));
    return found;
}

void ck_assert_damaged(int64_t step, const char *words)
{
    oc__checkpoint seen = ck_look(step, &ck_identity);
    if (seen.good || seen.other_run || !strstr(seen.why, words)) {
        fail_msg("'%s' was wanted, not: good %d, other run %d, %s", words, seen.good,
                 seen.other_run, seen.why);
    }
}

void ck_assert_good(int64_t step)
{
    oc__checkpoint seen = ck_look(step, &ck_identity);
    if (!seen.good) {
        fail_msg("%s", seen.why);
    }
    assert_string_equal(seen.state_hash, CK_STATE_HASH);
}

void ck_assert_entries(const char *wanted)
{
    char seen[1024] = "";
    struct dirent **entries = NULL;
    int count = scandir("ck", &entries, NULL, alphasort);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            size_t used = strlen(seen);
            snprintf(seen + used, sizeof seen - used, "%s ", entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    assert_string_equal(seen, wanted);
}
