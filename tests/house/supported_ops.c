/* Prints docs/supported-ops.md from the reference's own tables of operations. */
#include "reference/kernel.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *title;
    const oc__kernel *kernels;
} tables[] = {
    {"Arithmetic, comparison and conversion", oc__kernels_real},
    {"Transcendental and special functions", oc__kernels_special},
    {"Bits", oc__kernels_integer},
    {"Data movement, gather, scatter, sort", oc__kernels_movement},
    {"Reductions and contractions", oc__kernels_contract},
    {"Transforms, linear algebra, random numbers", oc__kernels_linear},
    {"Quantized types", oc__kernels_quantized},
    {"Control flow, tuples, tokens", oc__kernels_control},
    {"Collectives", oc__kernels_collective},
};

int main(void)
{
    puts("# Operations of the reference\n\n"
         "Printed from the tables in `src/reference` by `build/tests/supported_ops`; a "
         "test "
         "compares.\nContracts: E exact bits, M data movement, R one rounding, S a sum "
         "in "
         "any order, T a documented\nfigure in ulp, U undecided where a ball straddles "
         "a "
         "jump, - not judged. [`numerics.md`](numerics.md)\nexplains them.");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        printf("\n## %s\n\n| operation | contract | remark |\n|---|---|---|\n",
               tables[i].title);
        for (const oc__kernel *kernel = tables[i].kernels; kernel->op; kernel++) {
            printf("| %s | %s | %s |\n", kernel->op, kernel->contract, kernel->remark);
        }
    }
    return 0;
}
