/* What the job was asked to do: the environment and config.json of the run folder. */
#ifndef ONCHIP_TRAIN_TRAIN_CONFIG_H
#define ONCHIP_TRAIN_TRAIN_CONFIG_H

#include "base/error.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"

#include <stdint.h>

typedef struct oc__train_config {
    const char *run_dir;
    const char *checkpoints;
    const char *resume; /* a checkpoint's folder, or NULL */
    int64_t steps;
    int64_t device_timeout_ms; /* for one thing: open, compile, a step, a transfer */

    json_t *document; /* the texts below point into it */
    const char *platform;
    const char *plugin; /* or NULL */
    int64_t batch, seed, checkpoint_every, state_mib;
    char *program;                    /* the update's text */
    oc__checkpoint_identity identity; /* config, program, data */
} oc__train_config;

/* Refuses what is not as docs/launch-protocol.md says, and a configuration that was
 * made for another program or other data than this build has. */
OC_MUST_USE oc_status oc__train_config_read(oc__train_config *out_config,
                                            oc_error *err);
void oc__train_config_free(oc__train_config *config);

#endif
