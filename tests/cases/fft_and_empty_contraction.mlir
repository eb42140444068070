// Programs that run on the device but abort the StableHLO interpreter (openxla/xla#39464): a
// Fourier transform of f32, and a contraction over nothing, whose sums are 0. The transform of
// 2, 0, -1, 5 is 6, 3 + 5i, -4.
//
// input f32[4] 2 0 -1 5
// input f32[3,0]
// input f32[0,1]
// output f32[3] 6 3 -4
// output f32[3] 0 5 0
// output f32[3,1] 0 0 0
// eval within 1e-5 absolute
// device within 1e-5 absolute
// run default: PASS|UNKNOWN
// run older: PASS|UNKNOWN
func.func @main(%a: tensor<4xf32>, %b: tensor<3x0xf32>, %c: tensor<0x1xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %2 = stablehlo.imag %0 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %3 = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0]
      : (tensor<3x0xf32>, tensor<0x1xf32>) -> tensor<3x1xf32>
  return %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>
}
