/* What the files of this room share: a launch between its parts.
 *
 *     launch_options.c   the request, checked, with its defaults
 *     launch_config.c    config.json
 *     run_folder.c, run_lock.c, run_history.c, run_record.c    the folder
 *     job.c, job_look.c  starts the job; what the kernel shows of it
 *     signals.c          SIGTERM, SIGINT, SIGHUP
 *     supervise.c        the loop: events, output, signals, limits, the stop ladder
 *     events.h           the event protocol
 *     job_log.c          job.log
 *     outcome.c          status, summary.json, exit status
 *     launch_judge.c     built-in job: both verdicts, receipt, figure */
#ifndef ONCHIP_SUPERVISE_SUPERVISE_H
#define ONCHIP_SUPERVISE_SUPERVISE_H

#include "base/json.h"
#include "proc/proc.h"
#include "receipt/launch_receipt.h"
#include "supervise/events.h"
#include "supervise/run_folder.h"

#include <signal.h>

/* --- launch_options.c --- */

/* A copy in which every limit has its value; what a configuration may fill stays as
 * it is. OC_INVALID_ARGUMENT names option and range. */
OC_MUST_USE oc_status oc__launch_options_check(const oc_launch_options *options,
                                               oc_launch_options *out_checked,
                                               oc_error *err);

/* --- launch_config.c --- */

OC_MUST_USE oc_status oc__launch_config_make(const oc_launch_options *options,
                                             oc__launch_config *out_config,
                                             oc_error *err);
OC_MUST_USE oc_status oc__launch_config_read(const char *run_dir,
                                             oc__launch_config *out_config,
                                             oc_error *err);
/* OC_INVALID_ARGUMENT: an option that was given, or the program or data of this
 * onchip, is another. */
OC_MUST_USE oc_status oc__launch_config_compare(const oc__launch_config *config,
                                                const oc_launch_options *options,
                                                const char *run_dir, oc_error *err);
/* config.json, and program.mlir of the built-in job, where they are not there yet. */
OC_MUST_USE oc_status oc__launch_config_write(const char *run_dir,
                                              const oc__launch_config *config,
                                              oc_error *err);
void oc__launch_config_free(oc__launch_config *config);

/* --- run_lock.c --- */

/* *out_made: the file was made by this call. OC_EXISTS: another launcher has it. */
OC_MUST_USE oc_status oc__run_lock_take(const char *run_dir, int *out_fd,
                                        bool *out_made, oc_error *err);
OC_MUST_USE oc_status oc__run_lock_sign(int fd, oc_error *err);
/* Host and boot of this process, as members of `into`; false when out of memory. */
bool oc__run_lock_whereabouts(json_t *into);

/* --- run_history.c --- */

/* The number of the attempt that the folder shows, and its steps; 0: none. */
void oc__run_history_last(const char *run_dir, int64_t *out_attempt,
                          int64_t *out_steps);
/* Its summary says that it completed. */
bool oc__run_history_is_complete(const char *run_dir);
/* Moves what the last attempt left into history/; *out_attempt is the next one's. */
OC_MUST_USE oc_status oc__run_history_keep(const char *run_dir, int64_t *out_attempt,
                                           oc_error *err);
/* True for the lock and for files that a killed launcher left half written. */
bool oc__run_history_is_scrap(const char *name);
void oc__run_history_sweep(const char *run_dir);

/* --- run_record.c --- */

/* run.json first: nothing of an attempt lies there without it. */
OC_MUST_USE oc_status oc__run_record_write(const oc_launch_options *options,
                                           const oc__run_folder *folder, oc_error *err);

/* --- job_log.c --- */

enum { OC__JOB_LOG_HALF = 512 << 10 };

typedef struct oc__job_log {
    int file;
    int64_t size; /* of all that came */
    char *tail;   /* a ring of the last half */
    char *path;
} oc__job_log;

OC_MUST_USE oc_status oc__job_log_open(const char *path, oc__job_log *log,
                                       oc_error *err);
/* Reads some of what has come. */
OC_MUST_USE oc_status oc__job_log_read(oc__job_log *log, int fd, bool *out_open,
                                       oc_error *err);
/* Writes the tail and closes. */
OC_MUST_USE oc_status oc__job_log_close(oc__job_log *log, oc_error *err);

/* --- job.c --- */

typedef struct oc__job {
    oc__proc proc;
    pid_t pid;          /* stays after it was reaped */
    int events, output; /* our ends; -1: closed */
} oc__job;

/* Bytes that a pipe of events is asked to hold (pipe(7): what any user may ask for). */
enum { OC__JOB_PIPE = 1 << 20 };

OC_MUST_USE oc_status oc__job_start(const oc__run_folder *folder, oc__job *out_job,
                                    oc_error *err);

/* --- signals.c --- */

/* From the first look at the folder to the last file: SIGTERM, SIGINT and SIGHUP come
 * through a descriptor, so that none of them ends the launcher halfway. */
typedef struct oc__signals {
    int fd;
    sigset_t old_mask;
    struct sigaction old_pipe, old_child;
    int old_subreaper;
} oc__signals;

OC_MUST_USE oc_status oc__signals_take(oc__signals *signals, oc_error *err);
void oc__signals_give_back(oc__signals *signals);

/* --- supervise.c --- */

typedef enum oc__stop_reason {
    OC__STOP_NONE,
    OC__STOP_SIGNAL,
    OC__STOP_LIMIT,
    OC__STOP_PROTOCOL,
    OC__STOP_IO
} oc__stop_reason;

typedef struct oc__supervision {
    const oc_launch_options *options;
    const oc__run_folder *folder;
    const oc__signals *signals;
    oc__launch_events events;
    oc__job job;
    oc__stop_reason reason;
    int signal;        /* that ended it */
    const char *limit; /* "start", "stall", "total" */
    oc_error failure;  /* of PROTOCOL and IO */
    pid_t unkillable;  /* 0: none */
    bool killed;       /* the ladder came to SIGKILL */
    bool ran_out_of_memory;
    oc__proc_end end;
    int64_t job_us;
} oc__supervision;

/* Starts the job and stays until it and all that it has started are gone. An error:
 * it could not be started. */
OC_MUST_USE oc_status oc__supervise(oc__supervision *run, oc_error *err);

/* --- job_look.c --- */

/* State and wait channel of a process, as members of `into`. */
void oc__job_look(pid_t pid, json_t *into);
/* Kills of the out-of-memory killer in this control group; -1: it does not say. */
int64_t oc__job_oom_kills(void);

/* --- launch_judge.c --- */

/* Judges what the run has left and writes receipt.json and figure.svg; fills the
 * verdicts of the result. */
OC_MUST_USE oc_status oc__launch_judge(const oc__supervision *run,
                                       const oc__checkpoint_list *checkpoints,
                                       oc_launch_result *result, oc_error *err);

/* --- outcome.c --- */

/* Looks at what is there, decides, judges, writes summary.json. run->failure may be
 * that the job could not be started. */
void oc__launch_outcome(oc__supervision *run, oc_launch_result *result);

#endif
