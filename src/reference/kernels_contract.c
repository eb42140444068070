#include "reference/contract.h"

const oc__kernel oc__kernels_contract[] = {
    {.op = "stablehlo.dot_general",
     .run = oc__run_dot_general,
     .contract = "S n",
     .remark = "gamma_K |A||B|, exact on a grid; algorithm, precision_config"},
    {.op = "stablehlo.dot",
     .run = oc__run_dot,
     .contract = "S n",
     .remark = "as dot_general"},
    {.op = "chlo.ragged_dot",
     .run = oc__run_ragged_dot,
     .contract = "S n",
     .remark = "as dot_general; rows of no group are open"},
    {.op = "stablehlo.convolution",
     .run = oc__run_convolution,
     .contract = "S n",
     .remark =
         "as dot_general; never exact on a grid where the window has several taps "
         "(Winograd)"},
    {.op = "stablehlo.dynamic_conv",
     .run = oc__run_convolution,
     .contract = "S n",
     .remark = "as convolution"},
    {.op = "stablehlo.reduce",
     .run = oc__run_reduce,
     .contract = "S n",
     .remark = "add: gamma_n, exact on a grid; multiply: gamma_n relative; maximum, "
               "minimum, and, or: exact; other bodies: a tree in order"},
    {.op = "stablehlo.reduce_window",
     .run = oc__run_reduce_window,
     .contract = "S n",
     .remark = "as reduce"},
    {0},
};
