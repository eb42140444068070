// A convolution with negative padding below reads elements where the padding above should be
// zeros (openxla/xla#48713). Padding [-3, 1] of width 5 keeps columns 3 and 4 and adds one of
// zeros; a kernel of 1 x 1 that is the identity must return them.
//
// input f32[1,2,5,4] 0..39
// input f32[1,1,4,4] 1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1
// output f32[1,2,3,4] 12..19 0*4  32..39 0*4
// run default: FAIL
// run older: FAIL
func.func @main(%a: tensor<1x2x5x4xf32>, %k: tensor<1x1x4x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[0, 0], [-3, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x2x5x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}
