// log(exp(x)) is folded to x, although the exponential overflows or is too small for any
// number (openxla/xla#42732). exp(100) is infinity in f32, exp(-120) is 0, whose log is -inf.
//
// input f32[4] 2 100 -120 -3
// output f32[4] 2 inf -inf -3
// eval within 1 ulp
// device within 2 ulp
// run default: PASS
// run older: FAIL
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %a : tensor<4xf32>
  %1 = stablehlo.log %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
