/* trajectory.bin of the run folder: the record after every step. */
#ifndef ONCHIP_TRAIN_TRAJECTORY_H
#define ONCHIP_TRAIN_TRAJECTORY_H

#include "fit/fit.h"

/* Opens it for records after `step`, whose record must stand in its place there
 * (OC_PARSE when it does not); what follows it is cut off. After step 0 the file is
 * empty, and made where it is missing. */
OC_MUST_USE oc_status oc__trajectory_open(const char *run_dir, int64_t step,
                                          const oc__fit_record *record, int *out_fd,
                                          oc_error *err);
OC_MUST_USE oc_status oc__trajectory_add(int fd, const oc__fit_record *record,
                                         oc_error *err);
/* On disk when it returns. */
OC_MUST_USE oc_status oc__trajectory_sync(int fd, oc_error *err);

#endif
