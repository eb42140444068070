// Shifts of small integers saturate instead of wrapping, or differ past the width
// (keras-team/keras#22338). 5 << 14 is 0x14000, 0x4000 in sixteen bits. A shift by the width or
// more is open in the specification; XLA gives 0, or the sign.
//
// input i16[4] 5 -1 -1 -256
// input i16[4] 14 16 3 20
// output i16[4] 16384 ?0 -8 ?0
// output i16[4] 0 ?0 8191 ?0
// output i16[4] 0 ?-1 -1 ?-1
// run default: UNKNOWN
// run older: UNKNOWN
func.func @main(%a: tensor<4xi16>, %n: tensor<4xi16>)
    -> (tensor<4xi16>, tensor<4xi16>, tensor<4xi16>) {
  %0 = stablehlo.shift_left %a, %n : tensor<4xi16>
  %1 = stablehlo.shift_right_logical %a, %n : tensor<4xi16>
  %2 = stablehlo.shift_right_arithmetic %a, %n : tensor<4xi16>
  return %0, %1, %2 : tensor<4xi16>, tensor<4xi16>, tensor<4xi16>
}
