// Subnormal operands are read as zero (jax-ml/jax#26658, jax-ml/jax#16200, r-xla/anvl#540). The
// specification knows no such mode: a scaled subnormal is an exact number, and not equal to 0.
//
// input f32[3] 0x1p-149 -0x1p-128 0x1p-127
// output f32[3] 0x1p-119 -0x1p-98 0x1p-97
// output i1[3] false false false
// run default: FAIL deviates flush-to-zero
// run older: FAIL deviates flush-to-zero
// run default --allow flush-to-zero: UNKNOWN deviates flush-to-zero
func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>) {
  %scale = stablehlo.constant dense<1.07374182E+9> : tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %0 = stablehlo.multiply %a, %scale : tensor<3xf32>
  %1 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0, %1 : tensor<3xf32>, tensor<3xi1>
}
