// The modulus of a complex number with an infinite and a NaN part comes out as NaN
// (jax-ml/jax#37990, jax-ml/jax#37817). IEEE 754's hypot gives infinity whatever the other part
// is. Nor may 3 * 2^100 and 4 * 2^100 overflow on the way to 5 * 2^100.
//
// input f32[5] nan inf -inf 0x3p100 -2
// input f32[5] inf nan 2 0x4p100 0
// output f32[5] inf inf inf 0x5p100 2
// device within 2 ulp
// run default: FAIL
// run older: FAIL
func.func @main(%re: tensor<5xf32>, %im: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.complex %re, %im : tensor<5xcomplex<f32>>
  %1 = stablehlo.abs %0 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
