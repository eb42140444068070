// A dot of bf16 with integers is one unit off when products and sum are rounded to bf16 one by one
// (jax-ml/jax#17214). 1.5078125 * 100 - 0.4375 * 10 = 146.40625 is 146 in bf16; the chain gives
// 151 - 4.375 = 147, as the StableHLO interpreter does.
//
// input bf16[1,2] 1.5078125 -0.4375
// input i8[2,1] 100 10
// output bf16[1,1] 146
// run default: PASS
// run older: PASS
func.func @main(%a: tensor<1x2xbf16>, %b: tensor<2x1xi8>) -> tensor<1x1xbf16> {
  %0 = stablehlo.convert %b : (tensor<2x1xi8>) -> tensor<2x1xbf16>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0]
      : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1xbf16>
  return %1 : tensor<1x1xbf16>
}
