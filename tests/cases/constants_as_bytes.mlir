// Constants written as the bytes of their elements, which the written grammar lacks
// (openxla/stablehlo#2542): little endian, and one element's worth stands for all.
//
// output f32[2] 10 -5
// output f32[3] 1.5 1.5 1.5
// output i16[2] 32767 -32768
// run default: PASS
// run older: PASS
func.func @main() -> (tensor<2xf32>, tensor<3xf32>, tensor<2xi16>) {
  %0 = stablehlo.constant dense<"0x000020410000A0C0"> : tensor<2xf32>
  %1 = stablehlo.constant dense<"0x0000C03F"> : tensor<3xf32>
  %2 = stablehlo.constant dense<"0xFF7F0080"> : tensor<2xi16>
  return %0, %1, %2 : tensor<2xf32>, tensor<3xf32>, tensor<2xi16>
}
