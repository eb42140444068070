// The function that is meant is not called main (own finding). Interpreters run it, PJRT refuses
// it; a refusal must name the functions that are there.
//
// input f32[2] 1 2
// refuse no function @main, with which a program starts; there are @forward, @scale
// mend @forward => @main
func.func @forward(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @scale(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
