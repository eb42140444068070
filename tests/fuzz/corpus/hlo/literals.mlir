func.func @main() {
  %0 = stablehlo.constant dense<[(1.0, -2.5e-3), (0x7FC00000, 0.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %2 = stablehlo.constant dense<"0x00FF01"> : tensor<3xi1>
  %3 = stablehlo.constant dense<> : tensor<0x3xf16>
  %4 = stablehlo.constant dense<[[], []]> : tensor<2x0xui8>
  %5 = stablehlo.constant dense<[0x7F, 0x80]> : tensor<2xf8E4M3FN>
  %6 = stablehlo.constant dense<[-9223372036854775808, 0xFFFFFFFFFFFFFFFF]> : tensor<2xi64>
  %7 = stablehlo.constant dense<[1.00390625, 3.3895314e38]> : tensor<2xbf16>
  %8 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  %9 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>
  return
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
