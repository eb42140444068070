// log(1 + z) of a small complex number loses half of its digits (jax-ml/jax#7004). The values are
// log(|1 + z|) and atan2(y, 1 + x) computed with 60 digits and rounded.
//
// input f32[2] 0x1p-10 -0x1p-30
// input f32[2] 0x1p-12 0x1p-30
// output f32[2] 0x3A7FE204 0xB0800000
// output f32[2] 0x397FC010 0x30800000
// eval within 1 ulp
// device within 4 ulp
// run default: PASS|UNKNOWN
// run older: PASS|UNKNOWN
func.func @main(%re: tensor<2xf32>, %im: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  %1 = stablehlo.log_plus_one %0 : tensor<2xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %3 = stablehlo.imag %1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %2, %3 : tensor<2xf32>, tensor<2xf32>
}
