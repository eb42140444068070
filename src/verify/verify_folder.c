/* Run folders: the receipt in one, and what the checks of receipts with files beside
 * them share (kinds run and launch). */
#include "base/file.h"
#include "base/json.h"
#include "verify/receipt_checks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

oc_status oc__verify_read_file(const char *path, char **out_text, size_t *out_size,
                               char **out_name, oc_error *err)
{
    struct stat status;
    bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    *out_text = NULL;
    *out_size = 0;
    *out_name = is_folder ? oc__path_join(path, "receipt.json") : strdup(path);
    if (!*out_name) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    oc_status rc =
        oc__file_read(*out_name, OC__JSON_MAX_BYTES, out_text, out_size, err);
    if (rc != OC_OK) {
        free(*out_name);
        *out_name = NULL;
    }
    return rc;
}

char *oc__verify_folder(const oc__verifier *verifier)
{
    const char *slash = strrchr(verifier->name, '/');
    return slash ? strndup(verifier->name, (size_t)(slash - verifier->name))
                 : strdup(".");
}

bool oc__verify_unread(oc__verifier *verifier, const char *member, const char *what,
                       oc_status rc, const oc_error *why)
{
    if (rc == OC_NOT_FOUND || rc == OC_NOMEM) {
        return oc__verify_unknown(
            verifier, "files_missing", member,
            "the files of the run must lie beside the receipt%s%s",
            *why->text ? ": " : "", why->text);
    }
    return oc__verify_fail(verifier, "hash_differs", member,
                           "%s cannot be read, so it is not what was recorded: %.300s",
                           what, why->text);
}

bool oc__verify_no_nonce(oc__verifier *verifier, const char *kind)
{
    return !verifier->options->nonce ||
           oc__verify_fail(verifier, "nonce_differs", "kind",
                           "a nonce is demanded, and a receipt of kind %s answers none",
                           kind);
}

bool oc__verify_failed(oc__verifier *verifier, oc_boundary boundary,
                       const char *error_text)
{
    return oc__verify_fail(
        verifier, "run_failed", "boundary", "the run failed at boundary %s: %.480s",
        oc_boundary_name(boundary), error_text ? error_text : "no error was recorded");
}

bool oc__verify_digest(oc__verifier *verifier, const char *recorded,
                       const char *computed)
{
    if (!computed) {
        return oc__verify_unknown(verifier, "no_memory", "sha256",
                                  "memory ran out before the digest was known");
    }
    return strcmp(recorded, computed) == 0 ||
           oc__verify_fail(verifier, "hash_differs", "sha256",
                           "sha256 is %s, but the members before it hash to %s: one of "
                           "them was changed",
                           recorded, computed);
}
