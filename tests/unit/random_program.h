/* Programs chosen by dice: 3 to 12 operations on small tensors of f32, bf16, f16, f64,
 * i32 and i1, as StableHLO text and as a list that a simulator can walk. */
#ifndef ONCHIP_TESTS_RANDOM_PROGRAM_H
#define ONCHIP_TESTS_RANDOM_PROGRAM_H

#include "dice.h"

#include "onchip/tensor.h"

enum {
    RANDOM_MAX_NODES = 24,
    RANDOM_MAX_ELEMENTS = 128,
    RANDOM_MAX_ARGUMENTS = 4,
    RANDOM_MAX_OUTPUTS = 3,
    RANDOM_MAX_TEXT = 1 << 14
};

typedef enum opcode {
    ARGUMENT,
    CONSTANT, /* `number`, everywhere */
    /* of one operand */
    UNARY, /* which: an index of random_unaries */
    CONVERT,
    BROADCAST, /* of the operand's dimensions to the last ones */
    TRANSPOSE,
    REVERSE,  /* along the last dimension */
    REDUCE,   /* which: a body; along dimension `axis` */
    CUMULATE, /* reduce_window along the last dimension, sums from the first element */
    /* of two or three */
    BINARY,  /* which: an index of random_binaries */
    COMPARE, /* which: an index of random_directions */
    SELECT,
    CLAMP,
    DOT /* contracts dimension 1 with dimension `axis`; which: precision */
} opcode;

/* How near a device must come: bits the one, a figure the other. */
typedef struct function_row {
    const char *name; /* "stablehlo.tanh" */
    bool by_figure;
    double (*c)(double);
    long double (*wide)(long double);
    double least, most; /* both 0: any */
} function_row;
extern const function_row random_unaries[];
extern const size_t random_unary_count;

/* Of floats; those of integers and i1 come after random_float_binaries. */
extern const char *const random_binaries[];
extern const size_t random_binary_count;
enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM, REMAINDER, AND, OR, XOR };
enum { EQ, NE, LT, LE, GT, GE };
extern const char *const random_directions[6];

typedef struct node {
    opcode op;
    int which;
    oc_dtype dtype;
    size_t rank;
    int64_t dims[2];
    size_t operand_count, operands[3];
    size_t axis;
    double number;
} node;

typedef struct random_program {
    node nodes[RANDOM_MAX_NODES];
    size_t count, argument_count;
    size_t outputs[RANDOM_MAX_OUTPUTS], output_count;
} random_program;

void random_program_make(dice *from, random_program *out);
/* Writes at most RANDOM_MAX_TEXT bytes, the last one 0. */
void random_program_print(const random_program *program, char *text);

size_t random_node_count(const node *of); /* elements */

/* Numbers for the arguments: normal, positive, small whole ones, or of all kinds. Each
 * has random_node_count elements, doubles that are numbers of the type. */
void random_program_inputs(dice *from, const random_program *program,
                           double inputs[][RANDOM_MAX_ELEMENTS]);

#endif
