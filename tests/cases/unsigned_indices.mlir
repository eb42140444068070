// Unsigned indices are read as signed ones (openxla/xla#4491, jax-ml/jax#16836, jax-ml/jax#6122).
// 150 and 199 of ui8 are themselves, and 2^64 - 1 is clamped to the last start, not to the first.
// The StableHLO interpreter answers 0.
//
// input i32[200] 0..199
// input ui8[] 150
// input ui8[2,1] 199 128
// input i32[7] 0..6
// input ui64[] 18446744073709551615
// output i32[2] 150 151
// output i32[2] 199 128
// output i32[1] 6
// run default: PASS
// run older: PASS
func.func @main(%a: tensor<200xi32>, %i: tensor<ui8>, %g: tensor<2x1xui8>, %b: tensor<7xi32>,
                %j: tensor<ui64>) -> (tensor<2xi32>, tensor<2xi32>, tensor<1xi32>) {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<200xi32>, tensor<ui8>) -> tensor<2xi32>
  %1 = "stablehlo.gather"(%a, %g) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
      : (tensor<200xi32>, tensor<2x1xui8>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_slice %b, %j, sizes = [1] : (tensor<7xi32>, tensor<ui64>) -> tensor<1xi32>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<1xi32>
}
