// A convolution with a dilated base and negative padding (tillahoffmann/jax-mps#150): 1 2 3 4
// becomes 1 0 2 0 3 0 4 first and is cropped then, to 2 0 3 0.
//
// input f32[1,1,4] 1 2 3 4
// input f32[1,1,1] 10
// output f32[1,1,4] 20 0 30 0
// run default: PASS
// run older: PASS
func.func @main(%a: tensor<1x1x4xf32>, %k: tensor<1x1x1xf32>) -> tensor<1x1x4xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
      window = {pad = [[-2, -1]], lhs_dilate = [2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}
