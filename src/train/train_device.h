/* The device as the job sees it: a state that is updated in place of the one before. */
#ifndef ONCHIP_TRAIN_TRAIN_DEVICE_H
#define ONCHIP_TRAIN_TRAIN_DEVICE_H

#include "device/device.h"
#include "fit/fit.h"
#include "receipt/launch_receipt.h"
#include "train_config.h"

enum { OC__TRAIN_DATA = 2, OC__TRAIN_OUTPUTS = OC__FIT_STATE_TENSORS + 1 };

typedef struct oc__train_device {
    const oc__train_config *config;
    oc_device *device;
    oc__launch_receipt *receipt; /* what `observed` will say */
    int64_t program;
    int64_t data[OC__TRAIN_DATA];     /* x, y */
    int64_t state[OC__TRAIN_OUTPUTS]; /* key, step, parameters, velocity, record */
    size_t state_count;               /* 0: none yet; the record comes with a step */
    int64_t ballast;
} oc__train_device;

/* Opens the platform that the configuration names. oc__train_device_close also takes
 * what a failure leaves. */
OC_MUST_USE oc_status oc__train_device_open(const oc__train_config *config,
                                            oc__train_device *out_device,
                                            oc_error *err);
/* What the plugin wrote goes to standard error. */
void oc__train_device_close(oc__train_device *device);

OC_MUST_USE oc_status oc__train_device_compile(oc__train_device *device, oc_error *err);

/* Puts the data, the state of a record and, with state_mib, the ballast: `ballast` in
 * bytes, NULL for that of a fresh start. */
OC_MUST_USE oc_status oc__train_device_load(oc__train_device *device,
                                            const oc__fit_record *record, void *ballast,
                                            oc_error *err);

/* A step whose results are thrown away. */
OC_MUST_USE oc_status oc__train_device_warm_up(oc__train_device *device, oc_error *err);
OC_MUST_USE oc_status oc__train_device_step(oc__train_device *device,
                                            oc__fit_record *out_record, oc_error *err);
/* out_ballast is empty without state_mib. */
OC_MUST_USE oc_status oc__train_device_ballast(oc__train_device *device,
                                               oc_device_output *out_ballast,
                                               oc_error *err);

/* Who owns the state, and what the kernel shows: into the receipt, as far as it can be
 * told. Fails when there is a state and its owner cannot be asked. */
OC_MUST_USE oc_status oc__train_device_observe(oc__train_device *device, oc_error *err);

#endif
