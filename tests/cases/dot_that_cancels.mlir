// A dot whose terms cancel (own case; related: jax-ml/jax#24909). 3e7 + 2 - 3e7 is 2; a chain in
// f32 may give 0 or 4, all wrong in every digit and all allowed: the bound is a share of the sum of
// the magnitudes, not of the result.
//
// input f32[1,3] 3e7 2 -3e7
// input f32[3,1] 1 1 1
// output f32[1,1] 2
// eval within 16 absolute
// device may differ
// run default: PASS|UNKNOWN
// run older: PASS|UNKNOWN
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3x1xf32>) -> tensor<1x1xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
