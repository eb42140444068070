// A scatter of one update drops it when the operand is longer than the index type can count
// (openxla/xla#48718). Index 233 of ui8 is inside: element 233 becomes 233 + 5000. Both engines
// that XLA and StableHLO ship are wrong here, and equal.
//
// input i32[290] 0..289
// input ui8[1,1] 233
// input i32[1] 5000
// output i32[290] 0..232 5233 234..289
// run default: FAIL
// run older: FAIL
func.func @main(%a: tensor<290xi32>, %i: tensor<1x1xui8>, %u: tensor<1xi32>) -> tensor<290xi32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %1 = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<290xi32>, tensor<1x1xui8>, tensor<1xi32>) -> tensor<290xi32>
  return %0 : tensor<290xi32>
}
