#include "receipt/program.h"

#include "base/error.h"

#include <stdio.h>

void oc__receipt_program(char *out, size_t size, float bias)
{
    int length = snprintf(
        out, size,
        "module @predict {\n"
        "  func.func public @main(%%x: tensor<8x3xf32>, %%w: tensor<3xf32>) -> "
        "tensor<8xf32> {\n"
        "    %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0], "
        "precision = [DEFAULT, DEFAULT] : (tensor<8x3xf32>, tensor<3xf32>) -> "
        "tensor<8xf32>\n"
        "    %%bias = stablehlo.constant dense<%.6e> : tensor<f32>\n"
        "    %%1 = stablehlo.broadcast_in_dim %%bias, dims = [] : (tensor<f32>) -> "
        "tensor<8xf32>\n"
        "    %%2 = stablehlo.add %%0, %%1 : tensor<8xf32>\n"
        "    return %%2 : tensor<8xf32>\n"
        "  }\n"
        "}\n",
        (double)bias);
    OC_ASSERT(length > 0 && (size_t)length < size);
}
