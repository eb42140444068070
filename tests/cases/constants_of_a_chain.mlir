// The constants of two operations in a row are folded into one (jax-ml/jax#6566), which undoes an
// overflow and an absorption. With k = 2^100: 3e9 * k overflows before it is divided by k, and
// x + k is k for such an x.
//
// input f32[2] 3e9 5
// output f32[2] inf 5
// output f32[2] 0 0
// run default: FAIL deviates extra-rounding
// run older: FAIL deviates extra-rounding
// run default --allow fused-multiply-add --allow extra-rounding --allow excess-precision:
//   FAIL deviates extra-rounding
func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %k = stablehlo.constant dense<0x71800000> : tensor<2xf32>
  %inverse = stablehlo.constant dense<0x0D800000> : tensor<2xf32>
  %minus = stablehlo.constant dense<0xF1800000> : tensor<2xf32>
  %0 = stablehlo.multiply %a, %k : tensor<2xf32>
  %1 = stablehlo.multiply %0, %inverse : tensor<2xf32>
  %2 = stablehlo.add %a, %k : tensor<2xf32>
  %3 = stablehlo.add %2, %minus : tensor<2xf32>
  return %1, %3 : tensor<2xf32>, tensor<2xf32>
}
