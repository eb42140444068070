// The algorithm of a dot is ignored (openxla/stablehlo#755). Its operands are to be rounded to
// bf16: 1 + 3 * 2^-8 is a tie and goes to 1 + 2^-6, so that the dot is 1.015625 + 2 * 3. The
// StableHLO interpreter gives 7.0117; the older plugin knows no algorithms.
//
// input f32[1,2] 1.01171875 2
// input f32[2,1] 1 3
// output f32[1,1] 7.015625
// run default: PASS
// run older: REFUSED ALG_DOT_BF16_BF16_F32
func.func @main(%a: tensor<1x2xf32>, %b: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT],
      algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32,
        lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
        allow_imprecise_accumulation = false>
      : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
