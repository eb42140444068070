// i4 is read back without its sign (jax-ml/jax#17672, jax-ml/jax#21339). It counts from -8 to 7,
// ui4 from 0 to 15, and widening keeps the value.
//
// input i4[5] -8 -5 -1 6 7
// input ui4[3] 15 8 1
// output i16[5] -8 -5 -1 6 7
// output i16[3] 15 8 1
// run default: PASS
// run older: PASS
func.func @main(%a: tensor<5xi4>, %b: tensor<3xui4>) -> (tensor<5xi16>, tensor<3xi16>) {
  %0 = stablehlo.convert %a : (tensor<5xi4>) -> tensor<5xi16>
  %1 = stablehlo.convert %b : (tensor<3xui4>) -> tensor<3xi16>
  return %0, %1 : tensor<5xi16>, tensor<3xi16>
}
