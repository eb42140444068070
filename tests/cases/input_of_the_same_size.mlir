// An input of another type but of the right number of bytes (the class of tenstorrent/tt-xla#182
// and #170). XLA compares sizes alone and takes the bits of integers for floats.
//
// input f64[2] 3 4
// input ui64[2] 1 2
// refuse argument 1 (%b) of @main is tensor<2xf64>, but the input is tensor<2xui64>
// mend ui64[2] => f64[2]
func.func @main(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  %0 = stablehlo.add %a, %b : tensor<2xf64>
  return %0 : tensor<2xf64>
}
