// A dimension that the text leaves open (gomlx/gopjrt#59, openxla/xla#33092). The reference takes
// it from the input; PJRT's compilers refuse it, and the message says what to do.
//
// input f32[4] 1 -2 3 0.5
// output f32[4] 1 4 9 0.25
// run default: REFUSED the program has shapes with ?
// run older: REFUSED the program has shapes with ?
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}
