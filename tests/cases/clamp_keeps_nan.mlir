// A clamp turns a NaN into its lower bound (pytorch/pytorch#32587, pytorch/xla#2330). It is
// minimum(maximum(x, low), high): a NaN stays, and where low > high the result is high.
//
// input f32[4] -1 -1 -1 6
// input f32[4] nan -7 0.25 5
// input f32[4] 1 1 1 4
// output f32[4] nan -1 0.25 4
// run default: FAIL
// run older: FAIL
func.func @main(%low: tensor<4xf32>, %a: tensor<4xf32>, %high: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.clamp %low, %a, %high : tensor<4xf32>
  return %0 : tensor<4xf32>
}
