// Quantized types, which plugins and interpreters refuse (openxla/xla#9291,
// openxla/stablehlo#2373). The code of x is x / 0.25 + 3, clamped to i8 and rounded to even: 1 gives
// 7, 0.3 gives 4, 50 and -50 reach the ends. 0.375 is at a tie, which implementations that round
// before they add the zero point break the other way.
//
// input f32[5] 1 0.3 50 -50 0.375
// output f32[5] 1 0.25 31 -32.75 ?0.25
// run default: REFUSED uniform_quantize
// run older: REFUSED uniform_quantize
func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<5xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.25:3>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<5x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
