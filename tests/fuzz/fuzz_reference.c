/* The reference and the judge on programs that the input's bytes choose: a device that
 * conforms must not be refuted, and the text's own steps lie inside the enclosure. */
#include "random_check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char message[RANDOM_MESSAGE];
    random_tally tally = {0};
    dice from = {.bytes = data, .size = size};
    if (!random_check(&from, &tally, message)) {
        fprintf(stderr, "%s\n", message);
        abort();
    }
    return 0;
}
