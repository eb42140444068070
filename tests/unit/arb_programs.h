/* Programs on vectors of one or two types, for what only a whole program shows. */
#ifndef ONCHIP_TESTS_ARB_PROGRAMS_H
#define ONCHIP_TESTS_ARB_PROGRAMS_H

#include "arb_fixture.h"
#include "program_fixture.h"

enum { COUNT = 4096 }; /* elements of a vector */

typedef struct integer {
    oc_dtype dtype;
    const char *name;
    int bits;
    bool is_signed;
} integer;
enum { INTEGER_TYPES = 8 };
extern const integer integers[INTEGER_TYPES];

/* Runs `text`, in which !a and !b are vectors of these element types. */
program run_typed(const char *a, const char *b, const char *text,
                  const oc_tensor *inputs, size_t input_count);
/* Runs a text that says all, under a contract. */
program run_text(const char *text, const oc_tensor *inputs, size_t input_count,
                 const oc__arith *arith);

/* Zeros. */
oc_tensor tensor_of(oc_dtype dtype, const int64_t *dims, size_t rank);
oc_tensor vector_of(oc_dtype dtype);
void store(oc_tensor *vector, size_t index, double number);

ball element_of(const oc__value *value, size_t index);
unsigned flags_of(const oc__value *value, size_t index);

#endif
