// A product and a sum of rank 7 crash or hang in a library of the CPU (jax-ml/jax#40412,
// jax-ml/jax#39257). 2 * 3 + 2 * 3 = 12; a crash must be an answer of the run, not its end.
//
// input f32[2,1,3,2,4,4,4] 2*768
// input f32[2,1,3,2,4,4,4] 3*768
// output f32[2,1,3,4,4,4] 12*384
// run default: PASS
// run older: PASS
func.func @main(%a: tensor<2x1x3x2x4x4x4xf32>, %b: tensor<2x1x3x2x4x4x4xf32>)
    -> tensor<2x1x3x4x4x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %a, %b : tensor<2x1x3x2x4x4x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [3]
      : (tensor<2x1x3x2x4x4x4xf32>, tensor<f32>) -> tensor<2x1x3x4x4x4xf32>
  return %1 : tensor<2x1x3x4x4x4xf32>
}
