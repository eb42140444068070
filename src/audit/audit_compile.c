/* Harness and learner's file to a program, with sanitizers where the compiler has them.
 */
#include "audit/audit_room.h"

#include "base/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPILE_TIMEOUT_MS = 60000,
    COMPILE_CPU_S = 60,
    MAX_COMPILED_BYTES = 512 << 20,
    MAX_MESSAGE = 600
};
static const int64_t max_compiler_memory = (int64_t)2 << 30;

static const char *const sanitizers[] = {"-fsanitize=address,undefined",
                                         "-fno-sanitize-recover=all",
                                         "-fno-omit-frame-pointer"};

/* One run of the compiler; OC_NOT_FOUND when it is not installed. */
static oc_status run(const oc__audit_words *argv, const char *work_folder,
                     oc__audit_child *out_child, oc_error *err)
{
    char temporary[512];
    char mark[512];
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", work_folder);
    snprintf(mark, sizeof mark, "ONCHIP_AUDIT_RUN=%s", work_folder);
    const char *const environment[] = {"LC_ALL=C", temporary, mark, NULL};
    const oc__proc_limits limits = {.cpu_s = COMPILE_CPU_S,
                                    .file_bytes = MAX_COMPILED_BYTES};
    *out_child = (oc__audit_child){.argv = (const char *const *)argv->items,
                                   .environment = environment,
                                   .mark = mark,
                                   .limits = &limits,
                                   .memory_bytes = max_compiler_memory,
                                   .timeout_ms = COMPILE_TIMEOUT_MS};
    if (argv->failed) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    return oc__audit_child_run(out_child, err);
}

static bool succeeded(const oc__audit_child *child)
{
    return child->how == OC__AUDIT_ENDED && !child->end.signalled &&
           child->end.code == 0;
}

/* $CC (which may be several words), else the first of cc, gcc and clang that is
 * installed. */
static oc_status find_compiler(const char *work_folder, oc__audit_words *out_words,
                               oc_error *err)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *chosen = getenv("CC");
    if (chosen && chosen[strspn(chosen, " \t")]) {
        oc__audit_words_split(out_words, chosen);
        return OC_OK;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        oc__audit_words words = {0};
        oc__audit_child child;
        oc__audit_words_add(&words, usual[i]);
        oc__audit_words_add(&words, "--version");
        bool works =
            run(&words, work_folder, &child, NULL) == OC_OK && succeeded(&child);
        oc__audit_child_free(&child);
        oc__audit_words_free(&words);
        if (works) {
            oc__audit_words_add(out_words, usual[i]);
            return OC_OK;
        }
    }
    return OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE,
                   "no C compiler: none of cc, gcc and clang works; set CC");
}

static void add_all(oc__audit_words *words, const char *const *more, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        oc__audit_words_add(words, more[i]);
    }
}

static oc_status build(const oc__audit_words *compiler, const oc__audit_files *files,
                       bool sanitized, const char *work_folder, const char *program,
                       oc__audit_child *out_child, oc_error *err)
{
    static const char *const standard[] = {"-std=c17", "-g",      "-O1",
                                           "-Wall",    "-Wextra", "-ffp-contract=off"};
    oc__audit_words argv = {0};
    add_all(&argv, (const char *const *)compiler->items, compiler->count);
    add_all(&argv, standard, sizeof standard / sizeof *standard);
    if (sanitized) {
        add_all(&argv, sanitizers, sizeof sanitizers / sizeof *sanitizers);
    }
    const char *const sources[] = {"-I",           files->folder, "-o", program,
                                   files->harness, "-x",          "c",  files->learner,
                                   "-x",           "none"};
    add_all(&argv, sources, sizeof sources / sizeof *sources);
    add_all(&argv, (const char *const *)files->flags.items, files->flags.count);
    oc__audit_words_add(&argv, "-lm");
    oc_status rc = run(&argv, work_folder, out_child, err);
    oc__audit_words_free(&argv);
    return rc;
}

/* Whether a program with nothing in it can be built with sanitizers (their libraries
 * may not be installed). */
static bool has_sanitizers(const oc__audit_words *compiler, const char *work_folder)
{
    bool works = false;
    oc__audit_words argv = {0};
    oc__audit_child child = {0};
    char *source = oc__path_join(work_folder, "probe.c");
    char *program = oc__path_join(work_folder, "probe");
    static const char text[] = "int main(void) { return 0; }\n";
    if (source && program &&
        oc__file_write_new(source, text, sizeof text - 1, NULL) == OC_OK) {
        add_all(&argv, (const char *const *)compiler->items, compiler->count);
        add_all(&argv, sanitizers, sizeof sanitizers / sizeof *sanitizers);
        const char *const rest[] = {"-o", program, source};
        add_all(&argv, rest, sizeof rest / sizeof *rest);
        works = run(&argv, work_folder, &child, NULL) == OC_OK && succeeded(&child);
        oc__audit_child_free(&child);
        oc__audit_words_free(&argv);
    }
    free(source);
    free(program);
    return works;
}

/* A line of the compiler's ("FILE:LINE:COLUMN: error: ...") rather than of its driver
 * ("collect2: error: ..."). */
static bool is_error_line(const char *line)
{
    const char *error = strstr(line, "error: ");
    return error && error - line > 3 &&
           isdigit((unsigned char)line[strcspn(line, ":") + 1]);
}

static bool is_linker_line(const char *line)
{
    return strstr(line, "multiple definition of") ||
           strstr(line, "undefined reference to") || strstr(line, "undefined symbol") ||
           strstr(line, "duplicate symbol");
}

static bool is_any_line(const char *line)
{
    return *line != '\0';
}

/* The first line of a kind, without the folders of its file; false when there is none.
 */
static bool find_line(const char *text, bool (*is_kind)(const char *), char *out,
                      size_t size)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        char line[MAX_MESSAGE];
        snprintf(line, sizeof line, "%.*s",
                 (int)(length < sizeof line ? length : sizeof line - 1), at);
        if (is_kind(line)) {
            const char *first = line;
            for (const char *c = line; *c && *c != ':' && *c != ' '; c++) {
                first = *c == '/' ? c + 1 : first;
            }
            snprintf(out, size, "%s", first);
            return true;
        }
        at += length + (at[length] == '\n');
    }
    return false;
}

/* Why there is no program, in a line; malloc'd. */
static char *complaint(const oc__audit_child *child, const char *compiler)
{
    char message[MAX_MESSAGE];
    const char *printed = child->printed.data;
    char end[64];
    oc__proc_end_text(&child->end, end, sizeof end);
    if (child->how != OC__AUDIT_ENDED) {
        snprintf(message, sizeof message, "'%.100s' was stopped: %s", compiler,
                 child->how == OC__AUDIT_MEMORY ? "it took more than 2 GiB of memory"
                                                : "it was not done after 60 s");
    } else if (!find_line(printed, is_error_line, message, sizeof message) &&
               !find_line(printed, is_linker_line, message, sizeof message) &&
               !find_line(printed, is_any_line, message, sizeof message)) {
        snprintf(message, sizeof message, "'%.100s' ended with %s", compiler, end);
    }
    return strdup(message);
}

oc_status oc__audit_compile(const oc__audit_files *files, const char *work_folder,
                            const char *program, char **out_message, char **out_printed,
                            oc_error *err)
{
    oc__audit_words compiler = {0};
    oc__audit_child child = {0};
    *out_message = NULL;
    *out_printed = NULL;
    oc_status rc = find_compiler(work_folder, &compiler, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (!compiler.items) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    const char *compiler_name = compiler.items[0];
    rc = build(&compiler, files, true, work_folder, program, &child, err);
    if (rc == OC_OK && !succeeded(&child) && child.how == OC__AUDIT_ENDED &&
        !has_sanitizers(&compiler, work_folder)) {
        oc__audit_child_free(&child);
        rc = build(&compiler, files, false, work_folder, program, &child, err);
    }
    if (rc != OC_OK) {
        oc__error_prefix(err, "no C compiler");
        goto done;
    }
    if (!succeeded(&child)) {
        *out_message = complaint(&child, compiler_name);
        *out_printed = child.printed.data;
        child.printed.data = NULL;
        if (!*out_message) {
            rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        }
    }
done:
    oc__audit_child_free(&child);
    oc__audit_words_free(&compiler);
    return rc;
}
