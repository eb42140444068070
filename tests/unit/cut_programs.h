/* Programs for cuts: every row of the table of rules (cut_rules.c), and combinations.
 * Arguments are f32 and i32. Texts of the reference's tests. */
#ifndef ONCHIP_TESTS_CUT_PROGRAMS_H
#define ONCHIP_TESTS_CUT_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cut_program {
    const char *text;
    bool sums_of_balls; /* dots of what is no point */
} cut_program;

/* The first is a perceptron with softmax; the first three have results of rank 2. */
extern const cut_program cut_programs[];
extern const size_t cut_program_count;

#endif
