// The sine of a complex number with a tiny imaginary part loses that part
// (pearu/functional_algorithms#54, openxla/xla#10525). sin(x + iy) = sin x cosh y + i cos x sinh y,
// and sinh y is y for a tiny y; e^y - e^-y cancels to 0.
//
// input f32[3] 0 0 0.5
// input f32[3] 0x1p-40 -0x1p-20 0x1p-30
// output f32[3] 0 0 0x3EF57744
// output f32[3] 0x1p-40 -0x1p-20 0x3060A940
// eval within 1 ulp
// device within 8 ulp
// run default: FAIL
// run older: FAIL
func.func @main(%re: tensor<3xf32>, %im: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.complex %re, %im : tensor<3xcomplex<f32>>
  %1 = stablehlo.sine %0 : tensor<3xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %3 = stablehlo.imag %1 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  return %2, %3 : tensor<3xf32>, tensor<3xf32>
}
