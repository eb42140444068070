// Under TOTALORDER the signs of NaN and of zero have their places (openxla/stablehlo#1199,
// jax-ml/jax#6443): -NaN < -inf < -2 < -0 < +0 < 0.5 < +inf < +NaN (IEEE 754, totalOrder). The
// StableHLO interpreter ignores it. What bits a NaN has is open.
//
// input f32[8] 0x7FC00000 0.5 0 inf 0xFFC00000 -0 -2 -inf
// output ui32[8] ?0xFFC00000 0xFF800000 0xC0000000 0x80000000 0 0x3F000000 0x7F800000 ?0x7FC00000
// run default: UNKNOWN
// run older: UNKNOWN
func.func @main(%a: tensor<8xf32>) -> tensor<8xui32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<8xf32>) -> tensor<8xui32>
  return %1 : tensor<8xui32>
}
