// A dimension that is open up to a bound (gomlx/gopjrt#59), which aborts the StableHLO interpreter.
//
// input f32[2] 3 -8
// output f32[2] -3 8
// run default: REFUSED the program has shapes with ?
// run older: REFUSED the program has shapes with ?
func.func @main(%a: tensor<?xf32, #stablehlo.bounds<5>>) -> tensor<?xf32, #stablehlo.bounds<5>> {
  %0 = stablehlo.negate %a : tensor<?xf32, #stablehlo.bounds<5>>
  return %0 : tensor<?xf32, #stablehlo.bounds<5>>
}
