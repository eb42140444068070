/* The figure of a launch: the loss of every step, drawn by gnuplot (Debian:
 * gnuplot-nox) as an SVG. Steps of earlier attempts are there too; where an attempt
 * resumed stands a mark. */
#ifndef ONCHIP_REPORT_LOSS_FIGURE_H
#define ONCHIP_REPORT_LOSS_FIGURE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct oc__loss_figure {
    const float *losses; /* of step 1, 2, ...; one that is not finite has no point */
    size_t count;
    int64_t resumed_from; /* 0: no mark */
    const char *title;    /* any text */
} oc__loss_figure;

/* Takes the place of an older one, whole or not at all. OC_NOT_FOUND when gnuplot is
 * not installed; OC_DEADLINE, OC_CHILD when it does not end or fails. */
OC_MUST_USE oc_status oc__loss_figure_write(const oc__loss_figure *figure,
                                            const char *path, oc_error *err);

#endif
