// x + 0 is left out, although -0 + 0 is +0 (the class of openxla/xla#47290 and jax-ml/jax#6566;
// IEEE 754, section 6.3).
//
// input f32[3] -0 0 -1.5
// output f32[3] 0 0 -1.5
// run default: FAIL
// run older: FAIL
// run default --allow extra-rounding --allow flush-to-zero: FAIL
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %0 = stablehlo.add %a, %zero : tensor<3xf32>
  return %0 : tensor<3xf32>
}
