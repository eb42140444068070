// A division by a constant is done as a product with its rounded reciprocal, 1 / sqrt as rsqrt
// (openxla/xla#40844, elixir-nx/nx#1704). Quotients and square roots are rounded once, by IEEE 754:
// 9 / 7 is 1.2857142686843872 in f32.
//
// input f32[4] 7 9 11 14
// input f32[2] 6 17
// output f32[4] 1 0x3FA49249 0x3FC92492 2
// output f32[2] 0x3ED105EB 0x3E785B43
// run default: FAIL deviates extra-rounding, reciprocal-division
// run older: FAIL deviates extra-rounding, reciprocal-division
// run default --allow reciprocal-division: FAIL deviates extra-rounding, reciprocal-division
// run default --allow reciprocal-division --allow extra-rounding:
//   PASS deviates extra-rounding, reciprocal-division
// run older --allow reciprocal-division --allow extra-rounding:
//   PASS deviates extra-rounding, reciprocal-division
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %seven = stablehlo.constant dense<7.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.divide %a, %seven : tensor<4xf32>
  %1 = stablehlo.sqrt %b : tensor<2xf32>
  %2 = stablehlo.divide %one, %1 : tensor<2xf32>
  return %0, %2 : tensor<4xf32>, tensor<2xf32>
}
