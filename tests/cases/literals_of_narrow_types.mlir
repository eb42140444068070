// Infinities and NaN in narrow types, and hexadecimal literals as wide as their type
// (SKaiNET-developers/SKaiNET#788): they are the bits of the element.
//
// output f16[2] inf 1
// output bf16[2] nan -inf
// output f8E5M2[1] 0x7B
// output f8E4M3FN[2] 0x7E 0xFE
// output i1[3] true false true
// output ui16[1] 65535
// output i16[1] -1
// run default: PASS
// run older: PASS
func.func @main() -> (tensor<2xf16>, tensor<2xbf16>, tensor<1xf8E5M2>, tensor<2xf8E4M3FN>,
                      tensor<3xi1>, tensor<1xui16>, tensor<1xi16>) {
  %0 = stablehlo.constant dense<[0x7C00, 0x3C00]> : tensor<2xf16>
  %1 = stablehlo.constant dense<[0x7FC0, 0xFF80]> : tensor<2xbf16>
  %2 = stablehlo.constant dense<0x7B> : tensor<1xf8E5M2>
  %3 = stablehlo.constant dense<[0x7E, 0xFE]> : tensor<2xf8E4M3FN>
  %4 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %5 = stablehlo.constant dense<65535> : tensor<1xui16>
  %6 = stablehlo.constant dense<0xFFFF> : tensor<1xi16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xf16>, tensor<2xbf16>, tensor<1xf8E5M2>,
      tensor<2xf8E4M3FN>, tensor<3xi1>, tensor<1xui16>, tensor<1xi16>
}
