/* One random program: a conforming device must not be refuted, and the text's own steps
 * must lie inside the reference's enclosure. */
#ifndef ONCHIP_TESTS_RANDOM_CHECK_H
#define ONCHIP_TESTS_RANDOM_CHECK_H

#include "dice.h"

enum { RANDOM_MESSAGE = 1 << 15 };

typedef struct random_tally {
    size_t programs, passed, unknown, outputs;
    size_t elements, consistent, undecided, suspect, loose, open;
    size_t exact_midpoints; /* compared bit for bit with the text's steps */
    size_t with_model;      /* outputs that another model than the text's explains */
} random_tally;

/* False when something is wrong; message then says what, with the program and the
 * numbers. Adds to the tally. */
bool random_check(dice *from, random_tally *tally, char message[RANDOM_MESSAGE]);

#endif
