/* The run folder of a launch: who holds it, what it was configured as, its attempts.
 *
 *     lock              flock'd while a launcher lives; who holds it, for the message
 *     config.json       what makes it this run; never changed
 *     environment.json  host, kernel, versions, the command line of this attempt
 *     run.json          attempt, steps, limits, pid, where it resumed
 *     events.jsonl      every event of this attempt, as it came
 *     summary.json      how it ended
 *     job.log           what the job wrote to standard output and error (first and last
 *                       half MiB)
 *     checkpoints/      checkpoint/checkpoint.h
 *     trajectory.bin, program.mlir, receipt.json, figure.svg    built-in job only
 *     history/attempt-0001/ ...   what a resume found of the above (checkpoints,
 *                       configuration, program and trajectory stay where they are)
 *
 * The lock is the flock, not the file: a file whose holder died is taken over. Where
 * its text names another host than ours, flock cannot be trusted and the folder is
 * refused until the file is removed (the message says so). */
#ifndef ONCHIP_SUPERVISE_RUN_FOLDER_H
#define ONCHIP_SUPERVISE_RUN_FOLDER_H

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "onchip/launch.h"

typedef struct oc__launch_config {
    char *platform; /* NULL for a command */
    char *plugin;   /* absolute, or NULL */
    char **command; /* NULL-terminated; NULL: built-in */
    int64_t batch, seed, checkpoint_every, state_mib;
    char program_sha256[OC__SHA256_HEX]; /* "" for a command */
    char data_sha256[OC__SHA256_HEX];
    char sha256[OC__SHA256_HEX]; /* of config.json */
} oc__launch_config;

typedef struct oc__run_folder {
    char *path; /* absolute */
    int lock_fd;
    bool made, lock_made; /* folder and lock are of this call */
    oc__launch_config config;
    int64_t steps; /* to reach */
    int64_t attempt;
    int64_t resumed_from;             /* 0: from the start */
    char *resume_path;                /* of the checkpoint, or NULL */
    oc__checkpoint_identity identity; /* points into config */
} oc__run_folder;

/* Everything that may refuse comes first and changes nothing: the folder must be empty
 * or absent, or with options->resume hold a run whose configuration has the values that
 * the options name (OC_INVALID_ARGUMENT names the first key that differs, with both
 * values), a good checkpoint (damaged ones are passed over) of a step below
 * options->steps, and no process of an earlier attempt may live (it is named by its
 * pid). None good is OC_UNAVAILABLE unless options->restart. Then: the lock, the
 * folder's files, the earlier attempt into history/, damaged checkpoints set aside. */
OC_MUST_USE oc_status oc__run_folder_open(const oc_launch_options *options,
                                          oc__run_folder *out_folder, oc_error *err);
/* For a fresh start that came to nothing: the folder becomes as it was; then closes. */
void oc__run_folder_undo(oc__run_folder *folder);
/* Lets go of the lock. */
void oc__run_folder_close(oc__run_folder *folder);

/* Every process of a job has this in its environment, and is found by it. */
enum { OC__RUN_MARK = 4200 };
void oc__run_folder_mark(const oc__run_folder *folder, char out[OC__RUN_MARK]);

#endif
