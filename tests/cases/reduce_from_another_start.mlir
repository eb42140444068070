// A sum from an initial value that is not neutral (openxla/stablehlo#1662): the specification lets
// an implementation use it as often as it likes, so that 2048 + 3 k is right for every k >= 1.
//
// input f32[2048] 1*2048
// output f32[] ?2051
// run default: UNKNOWN
// run older: UNKNOWN
func.func @main(%a: tensor<2048xf32>) -> tensor<f32> {
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %three) applies stablehlo.add across dimensions = [0]
      : (tensor<2048xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
