// log(a^b) is folded to b log(a), although the power overflows (openxla/xla#42732). 20^40 is
// infinity in f32, and so is its logarithm; (-3)^2 = 9.
//
// input f32[3] -3 20 2
// input f32[3] 2 40 3
// output f32[3] 0x400C9F54 inf 0x40051592
// eval within 1 ulp
// device within 2 ulp
// run default: FAIL
// run older: FAIL
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.power %a, %b : tensor<3xf32>
  %1 = stablehlo.log %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
