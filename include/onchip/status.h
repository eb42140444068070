/* Errors, verdicts and boundaries: the words that every part of onchip answers with.
 *
 * Three things are kept apart. An ERROR says that something could not be done: a
 * function returns an oc_status other than OC_OK and describes it in the caller's
 * oc_error. A VERDICT is an answer (it was done, and this came out) and arrives with
 * OC_OK. A BUG of onchip's own is OC_ASSERT and aborts; input, files, plugins and
 * children never reach it.
 *
 * Calling sequence
 *     oc_error err = {0};
 *     if (oc_something(..., &err) != OC_OK) {
 *         fprintf(stderr, "%s\n", err.text);
 *     }
 * `err` may be NULL. It needs no clean-up. The first error wins: a later failure on the
 * way out does not overwrite it.
 */
#ifndef ONCHIP_STATUS_H
#define ONCHIP_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define OC_API                  __attribute__((visibility("default")))
#define OC_MUST_USE             __attribute__((warn_unused_result))
#define OC_PRINTF(index, first) __attribute__((__format__(__printf__, index, first)))

typedef enum oc_status {
    OC_OK = 0,
    OC_INVALID_ARGUMENT = 1, /* the caller asked for something that makes no sense */
    OC_PARSE = 2,            /* text or bytes do not follow their format */
    OC_NOT_FOUND = 3,        /* a named file or folder is not there */
    OC_EXISTS = 4,           /* something is there that must not be overwritten */
    OC_LIMIT = 5,            /* larger or deeper than onchip accepts */
    OC_UNAVAILABLE =
        10,           /* the requested device is not here; trying again does not help */
    OC_DEADLINE = 11, /* no answer within the time given */
    OC_PLUGIN = 12,   /* the plugin said no, or breaks the PJRT contract */
    OC_CHILD = 13,    /* a child process died or talked nonsense */
    OC_IO = 20,       /* the operating system refused */
    OC_NOMEM = 21     /* memory ran out */
} oc_status;

/* Where the first failure stands, in the order in which work reaches them. */
typedef enum oc_boundary {
    OC_BOUNDARY_NONE = 0,
    OC_BOUNDARY_USAGE,     /* the command line or the request */
    OC_BOUNDARY_INPUT,     /* a file or value that was given cannot be read */
    OC_BOUNDARY_PLUGIN,    /* no plugin file, or it cannot be loaded or spoken to */
    OC_BOUNDARY_DISCOVERY, /* the plugin runs but the devices asked for are not listed
                            */
    OC_BOUNDARY_INIT,      /* the plugin cannot create a client */
    OC_BOUNDARY_COMPILE,
    OC_BOUNDARY_TRANSFER,
    OC_BOUNDARY_EXECUTE,
    OC_BOUNDARY_PLACEMENT,
    OC_BOUNDARY_NUMERIC,
    OC_BOUNDARY_EVIDENCE /* the answer was reached but could not be kept */
} oc_boundary;

/* UNSET is no answer: printing or storing it is a bug. */
typedef enum oc_verdict {
    OC_VERDICT_UNSET = 0,
    OC_PASS,
    OC_FAIL,
    OC_UNKNOWN
} oc_verdict;

/* The exit statuses of the program, the same for every verb (docs/exit-codes.md). */
typedef enum oc_exit {
    OC_EXIT_PASS = 0,
    OC_EXIT_FAIL = 1,
    OC_EXIT_USAGE = 2,
    OC_EXIT_UNAVAILABLE = 3,
    OC_EXIT_UNKNOWN = 4,
    OC_EXIT_ERROR = 5
} oc_exit;

enum { OC_ERROR_TEXT = 2048 };

typedef struct oc_error {
    oc_status status;
    oc_boundary boundary;
    int plugin_code; /* PJRT_Error_Code when a plugin gave one, else 0 */
    int line;        /* where in onchip it was raised */
    const char *file;
    char text[OC_ERROR_TEXT]; /* one sentence or more, NUL-terminated, no final newline
                               */
} oc_error;

OC_API const char *oc_status_name(oc_status status);
OC_API const char *oc_boundary_name(oc_boundary boundary);
OC_API const char *oc_verdict_name(oc_verdict verdict);

/* The exit status that an error of this kind ends the program with. */
OC_API oc_exit oc_status_exit(oc_status status, oc_boundary boundary);

/* FAIL beats UNKNOWN beats PASS. Neither may be UNSET. */
OC_API oc_verdict oc_verdict_worst(oc_verdict a, oc_verdict b);
OC_API oc_exit oc_verdict_exit(oc_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif
