// A dot of f32 is a part in a thousand off, since operands or accumulator are narrower than asked
// (tenstorrent/tt-xla#2480). HIGHEST asks for f32. The values are the exact sums, rounded.
//
// input f32[2,2] 1.1 -0.7 0.013 2.9
// input f32[2,2] 0.31 1.7 -2.3 0.09
// output f32[2,2] 0x3FF9BA5E 0x3FE74BC7 0xC0D54FA0 0x3E90F27C
// eval within 1 ulp
// device within 4 ulp
// run default: PASS
// run older: PASS
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
