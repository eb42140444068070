/* The reader of manifests. What it accepts is the one text of what was read, and keeps
 * its limits. */
#include "checkpoint/manifest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A plain name, by what it must not do: lead out of its folder, hide, or be the
 * manifest. */
static bool stays_inside(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && !strchr(name, '/') &&
           strcmp(name, OC__MANIFEST_FILE) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oc__manifest manifest;
    oc_error err = {0};
    const char *text = (const char *)data;
    if (oc__manifest_read(text, size, &manifest, &err) != OC_OK) {
        if (err.status == OC_OK || !strstr(err.text, OC__MANIFEST_FILE) ||
            manifest.file_count != 0) {
            abort();
        }
        return 0;
    }
    char *again = oc__manifest_text(&manifest);
    if (!again || strlen(again) != size || memcmp(again, text, size) != 0 ||
        size >= OC__MANIFEST_BYTES || manifest.step < 0 ||
        manifest.step > OC__CHECKPOINT_MAX_STEP || manifest.file_count < 1 ||
        manifest.file_count > OC__CHECKPOINT_FILES ||
        manifest.identity_count > OC__CHECKPOINT_KEYS) {
        abort();
    }
    for (size_t i = 0; i < manifest.file_count; i++) {
        if (!stays_inside(manifest.files[i].name) || manifest.files[i].size < 0 ||
            manifest.files[i].size > OC__MANIFEST_MAX_SIZE) {
            abort();
        }
    }
    free(again);
    return 0;
}
