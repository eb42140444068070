/* A device that conforms to the contract, and uses the freedom that it leaves: a simple
 * simulator of random programs, element by element, apart from the product's reference.
 */
#ifndef ONCHIP_TESTS_RANDOM_DEVICE_H
#define ONCHIP_TESTS_RANDOM_DEVICE_H

#include "random_program.h"

#include "reference/evaluate.h"

typedef struct random_device {
    dice *dice;
    bool text;      /* no freedom: the text's own steps, one after the other */
    bool contracts; /* products may go unrounded into additions */
    bool narrow; /* sums of bf16 and f16 are rounded at every step, of some tensors */
    oc__operand_model operands; /* of dots of f32, at DEFAULT precision */
} random_device;

/* outputs[i]: random_node_count numbers of output i, integers and i1 as numbers too. */
void random_device_run(const random_device *device, const random_program *program,
                       double inputs[][RANDOM_MAX_ELEMENTS],
                       double outputs[][RANDOM_MAX_ELEMENTS]);

#endif
