// abs(x) >= 0 is folded to true (openxla/xla#17580), although the absolute value of the least
// integer of two's complement wraps to itself.
//
// input i16[3] -32768 5 -5
// output i16[3] -32768 5 5
// output i1[3] false true true
// run default: PASS
// run older: FAIL
func.func @main(%a: tensor<3xi16>) -> (tensor<3xi16>, tensor<3xi1>) {
  %zero = stablehlo.constant dense<0> : tensor<3xi16>
  %0 = stablehlo.abs %a : tensor<3xi16>
  %1 = stablehlo.compare GE, %0, %zero, SIGNED : (tensor<3xi16>, tensor<3xi16>) -> tensor<3xi1>
  return %0, %1 : tensor<3xi16>, tensor<3xi1>
}
