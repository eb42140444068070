// a / (b / c) becomes a * c / b, whose product overflows (the class of openxla/xla#47290). b / c
// is 1 and 4, and 1e25 / 1 is 1e25.
//
// input f32[2] 1e25 4
// input f32[2] 1e25 8
// input f32[2] 1e25 2
// output f32[2] 1e25 1
// run default: FAIL
// run older: FAIL
// run default --allow reciprocal-division --allow extra-rounding: FAIL
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.divide %b, %c : tensor<2xf32>
  %1 = stablehlo.divide %a, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
