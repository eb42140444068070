// A sum of ones in f16 or bf16 stalls at 2048 or 256 when every partial sum is rounded
// (ekzhang/jax-js#80, jax-ml/jax#26365). The sums are 3000 and 512; the StableHLO interpreter
// stalls. A device may.
//
// input f16[3000] 1*3000
// input bf16[512] 1*512
// output f16[] 3000
// output bf16[] 512
// device may differ
// run default: PASS
// run older: PASS
func.func @main(%a: tensor<3000xf16>, %b: tensor<512xbf16>) -> (tensor<f16>, tensor<bf16>) {
  %x = stablehlo.constant dense<0.0> : tensor<f16>
  %y = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%a init: %x) applies stablehlo.add across dimensions = [0]
      : (tensor<3000xf16>, tensor<f16>) -> tensor<f16>
  %1 = stablehlo.reduce(%b init: %y) applies stablehlo.add across dimensions = [0]
      : (tensor<512xbf16>, tensor<bf16>) -> tensor<bf16>
  return %0, %1 : tensor<f16>, tensor<bf16>
}
