// A maximum over a row loses the NaN in it (tensorflow/tensorflow#116992, openxla/xla#21461).
// Whatever the order, the NaN goes through a maximum, and maximum(NaN, x) is NaN.
//
// input f32[2,4] 4 nan 1 2  3 9 5 8
// output f32[2] nan 9
// run default: FAIL
// run older: FAIL
func.func @main(%a: tensor<2x4xf32>) -> tensor<2xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %lowest) applies stablehlo.maximum across dimensions = [1]
      : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
