// Functions with subnormal arguments or results give 0, NaN or the wrong sign (jax-ml/jax#37762).
// cbrt(2^-129) = 2^-43, sqrt(2^-140) = 2^-70, atan2(t, t) = pi / 4, exp(-90) = 8.194e-40.
//
// input f32[2] 0x1p-129 -0x1p-147
// input f32[1] 0x1p-140
// input f32[1] -90
// output f32[2] 0x1p-43 -0x1p-49
// output f32[1] 0x1p-70
// output f32[1] 0x3F490FDB
// output f32[1] 0x0008EC28
// eval within 1 ulp
// device within 4 ulp
// run default: FAIL deviates flush-to-zero
// run older: FAIL deviates flush-to-zero
// run default --allow flush-to-zero: FAIL deviates flush-to-zero
// run older --allow flush-to-zero: FAIL|UNKNOWN deviates flush-to-zero
func.func @main(%a: tensor<2xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>)
    -> (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = stablehlo.cbrt %a : tensor<2xf32>
  %1 = stablehlo.sqrt %b : tensor<1xf32>
  %2 = stablehlo.atan2 %b, %b : tensor<1xf32>
  %3 = stablehlo.exponential %c : tensor<1xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
