/* The text of the update, for the device and for the judge. */
#ifndef ONCHIP_FIT_FIT_PROGRAM_H
#define ONCHIP_FIT_FIT_PROGRAM_H

#include <stdint.h>

/* What main gives last: the record as words (oc__fit_program), or the loss as the f32
 * that these words hold, since the bits of a number within bounds are no number within
 * bounds. All before is the same text. */
typedef enum oc__fit_last { OC__FIT_GIVES_RECORD = 0, OC__FIT_GIVES_LOSS } oc__fit_last;

/* malloc'd; NULL when out of memory. */
char *oc__fit_text(int64_t batch, oc__fit_last last);

#endif
