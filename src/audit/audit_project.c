#include "audit/audit_room.h"

#include "base/file.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PKG_CONFIG_TIMEOUT_MS = 20000, MAX_PKG_CONFIG = 16384 };

static const oc__audit_project projects[] = {
    {"tpu-runtime-audit",
     4,
     3,
     4,
     {"backend, devices, BF16 storage and a small matrix product on the CPU",
      "simulated participants beside a CPU collective",
      "evidence that claims what was observed and no more",
      "evidence decided again from its file alone"}},
    {"virtual-devices",
     4,
     0,
     0,
     {"four virtual CPU devices", "rows sharded over the devices",
      "replicated instead of partitioned", "closed-form sums of squares"}},
};

const oc__audit_project *oc__audit_project_named(const char *name)
{
    for (size_t i = 0; i < sizeof projects / sizeof *projects; i++) {
        if (strcmp(projects[i].name, name) == 0) {
            return &projects[i];
        }
    }
    return NULL;
}

static void add(oc__audit_words *words, const char *text, size_t size)
{
    char **items = realloc(words->items, (words->count + 2) * sizeof *items);
    char *word = strndup(text, size);
    if (items) {
        words->items = items;
    }
    if (!items || !word) {
        free(word);
        words->failed = true;
        return;
    }
    items[words->count++] = word;
    items[words->count] = NULL;
}

void oc__audit_words_add(oc__audit_words *words, const char *word)
{
    add(words, word, strlen(word));
}

void oc__audit_words_split(oc__audit_words *words, const char *text)
{
    while (*(text += strspn(text, " \t\r\n"))) {
        oc__strbuf word;
        oc__strbuf_init(&word, strlen(text));
        for (; *text && !isspace((unsigned char)*text); text++) {
            text += *text == '\\' && text[1] ? 1 : 0;
            oc__strbuf_add(&word, text, 1);
        }
        words->failed = words->failed || word.failed;
        if (!word.failed) {
            add(words, word.data, word.size);
        }
        oc__strbuf_free(&word);
    }
}

void oc__audit_words_free(oc__audit_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->items[i]);
    }
    free(words->items);
    *words = (oc__audit_words){0};
}

/* onchip.pc of the build tree or of the installation that this code belongs to;
 * malloc'd, NULL when it is not there. */
static char *find_pc(void)
{
    static const char *const places[] = {
        "onchip.pc", "pkgconfig/onchip.pc", "../lib*/pkgconfig/onchip.pc",
        "../lib/*/pkgconfig/onchip.pc", "../share/pkgconfig/onchip.pc"};
    char *found = NULL;
    char *own = oc__own_folder();
    for (size_t i = 0; own && !found && i < sizeof places / sizeof *places; i++) {
        char *pattern = oc__path_join(own, places[i]);
        glob_t matches = {0};
        if (pattern && glob(pattern, 0, NULL, &matches) == 0) {
            found = realpath(matches.gl_pathv[0], NULL);
        }
        globfree(&matches);
        free(pattern);
    }
    free(own);
    return found;
}

/* What pkg-config says; out is initialised here and freed by the caller. */
static oc_status pkg_config(const char *const *argv, oc__strbuf *out, oc_error *err)
{
    oc__strbuf errors;
    oc__proc_end end;
    oc__strbuf_init(out, MAX_PKG_CONFIG);
    oc__strbuf_init(&errors, MAX_PKG_CONFIG);
    oc_status rc =
        oc__proc_run(argv, "", 0, PKG_CONFIG_TIMEOUT_MS, out, &errors, &end, err);
    if (rc == OC_NOT_FOUND) {
        oc__error_prefix(err, "pkg-config is needed to build against onchip");
    } else if (rc == OC_OK && (end.signalled || end.code != 0 || !out->data)) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "pkg-config refuses '%s': %.*s",
                     argv[1], (int)(errors.size > 500 ? 500 : errors.size),
                     errors.data ? errors.data : "");
    }
    oc__strbuf_free(&errors);
    return rc;
}

/* starter or solution of the project, or a file; malloc'd. */
static char *implementation_path(const char *folder, const char *implementation)
{
    char *path = NULL;
    if (strcmp(implementation, "starter") != 0 &&
        strcmp(implementation, "solution") != 0) {
        return strdup(implementation);
    }
    return asprintf(&path, "%s/%s/model.c", folder, implementation) < 0 ? NULL : path;
}

oc_status oc__audit_project_find(const char *project, const char *implementation,
                                 oc__audit_files *out_files, oc_error *err)
{
    oc_status rc = OC_OK;
    oc__strbuf projects_folder;
    oc__strbuf flags;
    char *learner = NULL;
    *out_files = (oc__audit_files){0};
    oc__strbuf_init(&projects_folder, 0);
    oc__strbuf_init(&flags, 0);
    char *pc = find_pc();
    if (!pc) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE,
                     "onchip.pc is not beside this program, nor in ../lib/pkgconfig "
                     "from there; install onchip whole");
        goto done;
    }
    const char *const ask_folder[] = {"pkg-config", pc, "--variable=projectsdir", NULL};
    const char *const ask_flags[] = {"pkg-config", pc, "--cflags", "--libs", NULL};
    rc = pkg_config(ask_folder, &projects_folder, err);
    rc = rc == OC_OK ? pkg_config(ask_flags, &flags, err) : rc;
    if (rc != OC_OK) {
        goto done;
    }
    projects_folder.data[strcspn(projects_folder.data, "\n")] = '\0';
    oc__audit_words_split(&out_files->flags, flags.data);
    if (asprintf(&out_files->folder, "%s/%s", projects_folder.data, project) < 0 ||
        asprintf(&out_files->harness, "%s/tests/harness.c", out_files->folder) < 0 ||
        !(learner = implementation_path(out_files->folder, implementation)) ||
        out_files->flags.failed) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    if (!oc__is_file(out_files->harness)) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE,
                     "'%s' is missing; install onchip whole", out_files->harness);
        goto done;
    }
    out_files->learner = realpath(learner, NULL);
    if (!out_files->learner || !oc__is_file(out_files->learner)) {
        rc = OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_INPUT,
                     "'%s' is no file; --implementation takes starter, solution or a C "
                     "file",
                     learner);
    }
done:
    if (rc != OC_OK) {
        oc__audit_files_free(out_files);
    }
    oc__strbuf_free(&projects_folder);
    oc__strbuf_free(&flags);
    free(learner);
    free(pc);
    return rc;
}

void oc__audit_files_free(oc__audit_files *files)
{
    free(files->folder);
    free(files->harness);
    free(files->learner);
    oc__audit_words_free(&files->flags);
    *files = (oc__audit_files){0};
}
