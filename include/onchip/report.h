/* The figure of a check: the device's series over the independent reference's, by
 * observation row. gnuplot (Debian: gnuplot-nox) draws it, started as a program; it
 * reads no start-up file of the user's and no text of a plugin's as its language.
 *
 * Both functions take the text of a receipt of kind `check` and the reference's values,
 * which the caller has computed; the receipt is read strictly. A value that is not
 * finite has no point.
 *
 * Errors: as the strict reader for a receipt that is none; OC_INVALID_ARGUMENT when it
 * holds no prediction; OC_NOT_FOUND when gnuplot is not installed; OC_DEADLINE and
 * OC_CHILD when it does not end or fails. All at boundary EVIDENCE but the reader's. */
#ifndef ONCHIP_REPORT_H
#define ONCHIP_REPORT_H

#include "onchip/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the terminal: plain ASCII, at most 72 columns, 20 lines and the legend.
 * *out_text is malloc'd, NUL-terminated and ends with a newline. */
OC_API OC_MUST_USE oc_status oc_figure_text(const char *receipt, size_t receipt_size,
                                            const float *reference, size_t count,
                                            char **out_text, oc_error *err);

/* Writes figure.svg and figure.png into `folder`, each whole or not at all; neither may
 * be there already (OC_EXISTS). Both are drawn before either is written. */
OC_API OC_MUST_USE oc_status oc_figure_write(const char *receipt, size_t receipt_size,
                                             const float *reference, size_t count,
                                             const char *folder, oc_error *err);

#ifdef __cplusplus
}
#endif

#endif
