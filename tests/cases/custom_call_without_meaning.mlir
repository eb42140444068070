// A custom call that nobody has registered (openxla/xla#39464), which aborts the StableHLO
// interpreter. No engine can know what it computes; the message names it.
//
// input f32[2] 1 2
// refuse custom_call @course_secret
// mend stablehlo.custom_call @course_secret(%a) {api_version = 2 : i32} => stablehlo.negate %a
// run default: REFUSED course_secret
// run older: REFUSED course_secret
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @course_secret(%a) {api_version = 2 : i32}
      : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
