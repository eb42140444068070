// A product with a converted predicate becomes a select, which hides NaN and infinity (the class
// of openxla/xla#47290). Masking by a product is not a select: inf * 0 is NaN and -7 * 0 is -0.
//
// input f32[5] -inf nan -7 2.5 0
// input i1[5] false false false true false
// output f32[5] nan nan -0 2.5 0
// run default: FAIL
// run older: FAIL
// run default --allow extra-rounding --allow flush-to-zero: FAIL
func.func @main(%a: tensor<5xf32>, %p: tensor<5xi1>) -> tensor<5xf32> {
  %0 = stablehlo.convert %p : (tensor<5xi1>) -> tensor<5xf32>
  %1 = stablehlo.multiply %a, %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}
