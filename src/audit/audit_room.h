/* What the files of this room share, in the order in which a check uses it:
 *
 *     oc__audit_project_find   the project's files, and how to build against onchip
 *     oc__audit_compile        harness and learner's file to a program
 *     oc__audit_child_run      a program, watched
 *     oc__audit_talk_read      what the harness wrote, into stages and notes
 *     oc__audit_judge          what the run came to, where the harness did not say
 *     oc__audit_keep           the notes as evidence
 *     oc__audit_reverify       the evidence, decided again from its file alone */
#ifndef ONCHIP_AUDIT_ROOM_H
#define ONCHIP_AUDIT_ROOM_H

#include "onchip/audit.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "proc/proc.h"

#include <stdbool.h>

/* A project that is known. */
typedef struct oc__audit_project {
    const char *name;
    int stages;
    int evidence_stage; /* in which evidence is written; 0: the project has none */
    int reverify_stage; /* in which it is decided again */
    const char *titles[OC_AUDIT_STAGES];
} oc__audit_project;

/* NULL when there is none of that name. */
const oc__audit_project *oc__audit_project_named(const char *name);

/* Words for a command line; owns them. */
typedef struct oc__audit_words {
    char **items; /* NULL-terminated once something was added */
    size_t count;
    bool failed; /* out of memory */
} oc__audit_words;
void oc__audit_words_add(oc__audit_words *words, const char *word);
/* Splits at white space; a backslash takes the next character as it is, which is how
 * pkg-config prints a space. */
void oc__audit_words_split(oc__audit_words *words, const char *text);
void oc__audit_words_free(oc__audit_words *words);

typedef struct oc__audit_files {
    char *folder;          /* of the project */
    char *harness;         /* trusted */
    char *learner;         /* absolute */
    oc__audit_words flags; /* for compiling and linking against onchip */
} oc__audit_files;
OC_MUST_USE oc_status oc__audit_project_find(const char *project,
                                             const char *implementation,
                                             oc__audit_files *out_files, oc_error *err);
void oc__audit_files_free(oc__audit_files *files);

typedef enum oc__audit_how {
    OC__AUDIT_ENDED,
    OC__AUDIT_DEADLINE, /* stopped */
    OC__AUDIT_MEMORY    /* stopped */
} oc__audit_how;

typedef struct oc__audit_child {
    const char *const *argv;
    const char *const *environment; /* laid over ours */
    const char
        *mark; /* one of `environment`, in no other run's: finds what it leaves */
    const oc__proc_limits *limits;
    int64_t memory_bytes;
    int64_t timeout_ms;

    oc__audit_how how;
    oc__proc_end end;
    oc__strbuf talk;    /* descriptor 3; `failed` when it was too much */
    oc__strbuf printed; /* standard output and error, the last of them */
} oc__audit_child;

/* Runs it, and ends every process that it leaves behind. */
OC_MUST_USE oc_status oc__audit_child_run(oc__audit_child *child, oc_error *err);
void oc__audit_child_free(oc__audit_child *child);

/* *out_message is the compiler's complaint (free()), NULL when `program` is there;
 * *out_printed then all that it printed. */
OC_MUST_USE oc_status oc__audit_compile(const oc__audit_files *files,
                                        const char *work_folder, const char *program,
                                        char **out_message, char **out_printed,
                                        oc_error *err);

/* Fields of the evidence as the harness sent them, in order. */
typedef struct oc__audit_note {
    const char *key;
    const char *value;
} oc__audit_note;
enum { OC__AUDIT_NOTES = 64 };

/* What the harness said beside the stages. Text points into the talk. */
typedef struct oc__audit_talk {
    const char *call;  /* the learner's function that was called last, or NULL */
    bool complete;     /* all that was asked for ran */
    bool failed;       /* a stage did, and says how */
    char garbled[160]; /* what is no line of a harness; "" when all are */
    oc__audit_note notes[OC__AUDIT_NOTES];
    size_t note_count;
} oc__audit_talk;

/* Reads (and cuts up) `text`; stages up to `last` become those of the result. `whole`:
 * the program ended by itself, so that half a line is garbled. */
OC_MUST_USE oc_status oc__audit_talk_read(char *text, size_t size, int last, bool whole,
                                          oc_audit_result *result,
                                          oc__audit_talk *out_talk, oc_error *err);

/* The stage that is under way becomes a FAIL (stage 1 when none is). Texts are copied;
 * `hint` may be NULL. */
OC_MUST_USE oc_status oc__audit_fail(oc_audit_result *result, const char *function,
                                     const char *expected, const char *got,
                                     const char *hint, oc_error *err);

/* Makes a run that did not come to its end a FAIL of the stage it was in. */
OC_MUST_USE oc_status oc__audit_judge(const oc__audit_child *child,
                                      const oc__audit_talk *talk, const char *learner,
                                      oc_audit_result *result, oc_error *err);

/* What a sanitizer reports in `text`, with the first line of `learner` in it, for
 * example "heap-buffer-overflow at model.c:12"; false when there is no report. */
bool oc__audit_sanitizer_text(const char *text, const char *learner, char *out,
                              size_t size);

/* Writes the evidence, into `folder` or, when it is NULL, a new one; an older file
 * there becomes history. result->evidence is its path. Notes that are missing or make
 * no sense fail the stage. */
OC_MUST_USE oc_status oc__audit_keep(const oc__audit_talk *talk,
                                     const oc_audit_options *options,
                                     oc_audit_result *result, oc_error *err);

/* The last stage fails unless the file verifies, and no copy of it does in which one
 * member is changed. */
OC_MUST_USE oc_status oc__audit_reverify(oc_audit_result *result, oc_error *err);

#endif
