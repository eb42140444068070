/* A folder "ck" of checkpoints in a folder of the test's own, and what lies in it. */
#ifndef ONCHIP_TESTS_CHECKPOINT_FIXTURE_H
#define ONCHIP_TESTS_CHECKPOINT_FIXTURE_H

#include "folder.h"
#include "unit.h"

#include "checkpoint/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { CK_STATE_BYTES = 32, CK_TEXT_BYTES = 16384 };
#define CK_STATE_HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define CK_CONFIG     "c0ffee"

extern const oc__checkpoint_identity ck_identity;

/* cmocka's set-up and tear-down: the test stands beside "ck". */
int ck_set_up(void **state);
int ck_tear_down(void **state);

/* Writes a checkpoint of two files, state.bin (32 bytes of `fill`) and more.bin. */
oc_status ck_write(int64_t step, int fill, oc_error *err);
void ck_put(int64_t step);

/* A file's whole content; the number of its bytes. */
size_t ck_load(const char *path, char text[CK_TEXT_BYTES]);
void ck_save(const char *path, const void *data, size_t size);

/* The checkpoint of a step after a scan; its path is not kept. */
oc__checkpoint ck_look(int64_t step, const oc__checkpoint_identity *identity);
/* It is damaged, and `why` has these words. */
void ck_assert_damaged(int64_t step, const char *words);
void ck_assert_good(int64_t step);
/* The entries of "ck", sorted, each with a blank behind it. */
void ck_assert_entries(const char *wanted);

#endif
