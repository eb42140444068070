/* The files beside a receipt of kind `launch`, held against its hashes. */
#ifndef ONCHIP_VERIFY_LAUNCH_FILES_H
#define ONCHIP_VERIFY_LAUNCH_FILES_H

#include "fit/fit.h"
#include "verify/verifier.h"

typedef struct oc__launch_evidence {
    oc__verifier *verifier;
    const oc__launch_receipt *receipt;
    char *folder;
    oc__fit_record *records; /* of steps 1 to last_step; NULL: not read */
    oc__fit_judgement judgement;
    bool complete; /* every file is there and is the one that was hashed */
} oc__launch_evidence;

/* Each yields false when it has recorded a FAIL. They rely on the numbers of the job
 * being in order, and each on those before it. */

/* config.json is the recorded one and says of the run what the receipt says. */
bool oc__launch_check_config(oc__launch_evidence *e);
/* program.mlir is the recorded one, and the update of that batch, byte for byte. */
bool oc__launch_check_program(oc__launch_evidence *e);
/* trajectory.bin is the recorded one, has a record for each step, and the last of them
 * is the state of the receipt. */
bool oc__launch_check_trajectory(oc__launch_evidence *e);
/* The checkpoints listed are of states of the trajectory, and so are their files where
 * they are still there. */
bool oc__launch_check_checkpoints(oc__launch_evidence *e);

#endif
