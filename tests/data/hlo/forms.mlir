// The pretty form of every operation of StableHLO and CHLO that has one (StableHLO 1.17).
module @forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @unary(%f: tensor<2xf32> {mhlo.sharding = "{replicated}"}, %i: tensor<2xi32>, %c: tensor<2xcomplex<f32>>, %q: tensor<?x2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.abs %f : tensor<2xf32>
    %1 = stablehlo.abs %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %2 = stablehlo.cbrt %f : tensor<2xf32>
    %3 = stablehlo.ceil %f : tensor<2xf32>
    %4 = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xf32>
    %5 = stablehlo.cosine %f : tensor<2xf32>
    %6 = stablehlo.count_leading_zeros %i : tensor<2xi32>
    %7 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
    %8 = stablehlo.exponential_minus_one %f {mhlo.frontend_attributes = {a = "b"}} : tensor<2xf32>
    %9 = stablehlo.floor %f : tensor<2xf32>
    %10 = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %11 = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %12 = stablehlo.is_finite %f : (tensor<2xf32>) -> tensor<2xi1>
    %13 = stablehlo.log %f : tensor<2xf32>
    %14 = stablehlo.log_plus_one %f : tensor<2xf32>
    %15 = stablehlo.logistic %f : tensor<2xf32>
    %16 = stablehlo.negate %f : tensor<2xf32>
    %17 = stablehlo.not %i : tensor<2xi32>
    %18 = stablehlo.popcnt %i : tensor<2xi32>
    %19 = stablehlo.round_nearest_afz %f : tensor<2xf32>
    %20 = stablehlo.round_nearest_even %f : tensor<2xf32>
    %21 = stablehlo.rsqrt %f : tensor<2xf32>
    %22 = stablehlo.sign %f : tensor<2xf32>
    %23 = stablehlo.sine %f : tensor<2xf32>
    %24 = stablehlo.sqrt %f : tensor<2xf32>
    %25 = stablehlo.tan %f : tensor<2xf32>
    %26 = stablehlo.tanh %q : tensor<?x2xf32>
    %27 = stablehlo.bitcast_convert %f : (tensor<2xf32>) -> tensor<2xi32>
    %28 = stablehlo.reduce_precision %f, format = e5m10 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @binary(%f: tensor<2xf32>, %i: tensor<2xi32>, %p: tensor<2xi1>, %s: tensor<f32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %0 = stablehlo.add %f, %f : tensor<2xf32>
    %1 = stablehlo.and %i, %i : tensor<2xi32>
    %2 = stablehlo.atan2 %f, %f : tensor<2xf32>
    %3 = stablehlo.complex %f, %f : tensor<2xcomplex<f32>>
    %4 = stablehlo.divide %f, %f : tensor<2xf32>
    %5 = stablehlo.maximum %f, %f : tensor<2xf32>
    %6 = stablehlo.minimum %f, %f : tensor<2xf32>
    %7 = stablehlo.multiply %f, %f : tensor<2xf32>
    %8 = stablehlo.or %i, %i : tensor<2xi32>
    %9 = stablehlo.power %f, %f : tensor<2xf32>
    %10 = stablehlo.remainder %f, %f : tensor<2xf32>
    %11 = stablehlo.shift_left %i, %i : tensor<2xi32>
    %12 = stablehlo.shift_right_arithmetic %i, %i : tensor<2xi32>
    %13 = stablehlo.shift_right_logical %i, %i : tensor<2xi32>
    %14 = stablehlo.subtract %f, %f : tensor<2xf32>
    %15 = stablehlo.xor %i, %i : tensor<2xi32>
    %16 = stablehlo.compare LT, %f, %f, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %17 = stablehlo.compare  NE, %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %18 = stablehlo.compare GE, %f, %f, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %19 = stablehlo.select %p, %f, %f : tensor<2xi1>, tensor<2xf32>
    %20 = stablehlo.clamp %f, %f, %f : tensor<2xf32>
    %21 = stablehlo.clamp %s, %f, %s : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return %19, %15 : tensor<2xf32>, tensor<2xi32>
  }
  func.func @shapes(%a: tensor<3x4xf32>, %s: tensor<f32>, %i: tensor<i32>, %d: tensor<2xi64>, %q: tensor<?x4xf32>) {
    %0 = stablehlo.broadcast %a, sizes = [2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %1 = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<3x4xf32>) -> tensor<4x5x3xf32>
    %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
    %4 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %5 = stablehlo.dynamic_update_slice %a, %4, %i, %i : (tensor<3x4xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %6 = stablehlo.iota dim = 1 : tensor<3x4xi32>
    %7 = stablehlo.pad %a, %s, low = [-1, 0], high = [0, 2], interior = [1, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x6xf32>
    %8 = stablehlo.reshape %a : (tensor<3x4xf32>) -> tensor<12xf32>
    %9 = stablehlo.reverse %a, dims = [0, 1] : tensor<3x4xf32>
    %10 = stablehlo.slice %a [0:2, 1:4:2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %11 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %12 = stablehlo.dynamic_broadcast_in_dim %a, %d, dims = [0, 1] {known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    %13 = stablehlo.dynamic_iota %d, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
    %14 = stablehlo.dynamic_pad %a, %s, %d, %d, %d : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %15 = stablehlo.dynamic_reshape %a, %d : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %16 = stablehlo.real_dynamic_slice %a, %d, %d, %d : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %17 = stablehlo.get_dimension_size %q, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %18 = stablehlo.set_dimension_size %a, %i, dim = 0 : (tensor<3x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>>
    return
  }
  func.func @linear(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %m: tensor<4x4xf32>, %x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x8xf32>, %v: tensor<8xcomplex<f32>>) {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 1, 0, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x8xf32>) -> tensor<1x7x1x8xf32>
    %5 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x8xf32>) -> tensor<1x2x2x8xf32>
    %6 = stablehlo.cholesky %m, lower = true : tensor<4x4xf32>
    %7 = stablehlo.cholesky %m : tensor<4x4xf32>
    %8 = stablehlo.fft %v, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
    %9 = stablehlo.einsum %m, %m, config = "ij,jk->ik" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %10 = stablehlo.unary_einsum %m, config = "ij->i" : (tensor<4x4xf32>) -> tensor<4xf32>
    %11 = stablehlo.dot %m, %m, precision = [HIGH, HIGH] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %12 = stablehlo.dot %m, %m : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
  func.func private @body(%a: tensor<2xf32>) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
  func.func @control(%a: tensor<3x4xf32>, %k: tensor<3x4xi32>, %z: tensor<f32>, %j: tensor<i32>, %p: tensor<i1>, %f: tensor<2xf32>) -> tensor<i32> {
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %1:2 = stablehlo.reduce(%a init: %z), (%k init: %j) across dimensions = [1] {mhlo.note = "x"} : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%l: tensor<f32>, %r: tensor<f32>) (%li: tensor<i32>, %ri: tensor<i32>)  {
      %3 = stablehlo.maximum %l, %r : tensor<f32>
      %4 = stablehlo.subtract %li, %ri : tensor<i32>
      stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
    }
    %2:2 = stablehlo.while(%x = %j, %y = %z) : tensor<i32>, tensor<f32> attributes {mhlo.note = "y"}
     cond {
      %3 = stablehlo.compare LT, %x, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.negate %1#0 : tensor<3xf32>
      stablehlo.return %x, %y : tensor<i32>, tensor<f32>
    }
    %5, %6 = "stablehlo.if"(%p) ({
      stablehlo.return %j, %j : tensor<i32>, tensor<i32>
    }, {
      stablehlo.return %2#0, %j : tensor<i32>, tensor<i32>
    }) : (tensor<i1>) -> (tensor<i32>, tensor<i32>)
    %7 = stablehlo.composite "my.op" %f {composite_attributes = {k = 1 : i32, s = "t"}, decomposition = @body, version = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    %8 = stablehlo.custom_call @foo.bar(%f) {api_version = 2 : i32, backend_config = "opaque", has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.custom_call @"not an id"() {api_version = 4 : i32, backend_config = {a = 1 : i64}, has_side_effect = true} : () -> ()
    %9 = call @body(%8) : (tensor<2xf32>) -> tensor<2xf32>
    return %5 : tensor<i32>
  }
  func.func @tokens(%t: !stablehlo.token, %f: tensor<2xf32>, %i: tensor<i32>, %k: tensor<2xi64>, %s: tensor<2xui64>) -> !stablehlo.token {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.after_all %t, %0 : !stablehlo.token
    %2 = stablehlo.after_all : !stablehlo.token
    %3 = stablehlo.tuple %f, %i : tuple<tensor<2xf32>, tensor<i32>>
    %4 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
    %5:2 = stablehlo.optimization_barrier %f, %i : tensor<2xf32>, tensor<i32>
    %6 = stablehlo.partition_id : tensor<ui32>
    %7 = stablehlo.replica_id : tensor<ui32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %8 = stablehlo.rng %z, %z, %k, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    %9, %10 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    return %1 : !stablehlo.token
  }
  func.func @constants() -> tensor<0x2xf32> {
    %0 = stablehlo.constant dense<[0x7FC00000, 0xFF800000, 0.1, -0.0, 1.401298e-45, 3.40282347E+38]> : tensor<6xf32>
    %1 = stablehlo.constant dense<[[1.5, 0x7FF0000000000000], [-2.2250738585072014E-308, 0.30000000000000004]]> : tensor<2x2xf64>
    %2 = stablehlo.constant dense<[(1.0, -2.5), (0x7FC00000, 0.0)]> : tensor<2xcomplex<f32>>
    %3 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %4 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
    %5 = stablehlo.constant dense<[0, 15]> : tensor<2xui4>
    %6 = stablehlo.constant dense<[-2, 1]> : tensor<2xi2>
    %7 = stablehlo.constant dense<[1.0, -448.0]> : tensor<2xf8E4M3FN>
    %8 = stablehlo.constant dense<[0x7C, 1.5]> : tensor<2xf8E5M2>
    %9 = stablehlo.constant dense<[6.0, -0.5]> : tensor<2xf4E2M1FN>
    %10 = stablehlo.constant dense<[3.140625, 0xFF80]> : tensor<2xbf16>
    %11 = stablehlo.constant dense<[65504.0, 5.96e-08]> : tensor<2xf16>
    %12 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %13 = stablehlo.constant dense<-9223372036854775808> : tensor<1x1xi64>
    %14 = stablehlo.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
    %15 = stablehlo.constant {mhlo.note = "z"} dense<2.5> : tensor<40x2xf32>
    %16 = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -32]> : tensor<33xi16>
    %17 = stablehlo.constant dense<> : tensor<0x2xf32>
    return %17 : tensor<0x2xf32>
  }
  func.func @chlo(%f: tensor<4x3xf32>, %i: tensor<4x3xi32>, %c: tensor<4x3xcomplex<f32>>, %p: tensor<4x3xi1>, %s: tensor<3xf32>, %k: tensor<3xi32>) {
    %0 = chlo.acos %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %1 = chlo.acosh %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %2 = chlo.asin %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %3 = chlo.asinh %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %4 = chlo.atan %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %5 = chlo.atanh %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %6 = chlo.bessel_i1e %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %7 = chlo.conj %c : tensor<4x3xcomplex<f32>> -> tensor<4x3xcomplex<f32>>
    %8 = chlo.cosh %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %9 = chlo.digamma %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %10 = chlo.erf %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %11 = chlo.erf_inv %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %12 = chlo.erfc %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %13 = chlo.is_inf %f : tensor<4x3xf32> -> tensor<4x3xi1>
    %14 = chlo.is_neg_inf %f : tensor<4x3xf32> -> tensor<4x3xi1>
    %15 = chlo.is_pos_inf %f : tensor<4x3xf32> -> tensor<4x3xi1>
    %16 = chlo.lgamma %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %17 = chlo.sinh %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %18 = chlo.square %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %19 = chlo.tan %f : tensor<4x3xf32> -> tensor<4x3xf32>
    %20 = chlo.next_after %f, %f : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
    %21 = chlo.polygamma %f, %f : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
    %22 = chlo.zeta %f, %f : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
    %23 = chlo.broadcast_add %f, %s {broadcast_dimensions = array<i64: 1>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %24 = chlo.broadcast_compare %f, %s {broadcast_dimensions = array<i64: 1>, comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type FLOAT>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
    %25 = chlo.broadcast_select %p, %f, %s : (tensor<4x3xi1>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %26 = "chlo.constant_like"(%f) {value = 1.5 : f32} : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %27, %28 = chlo.top_k(%f, k = 2) : tensor<4x3xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %29 = chlo.constant dense<[1, 2]> : tensor<2xi32>
    %30 = chlo._asin_acos_kernel %c : tensor<4x3xcomplex<f32>> -> tensor<4x3xcomplex<f32>>
    %31 = chlo.broadcast_and %i, %i : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %32 = chlo.broadcast_atan2 %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %33 = chlo.broadcast_complex %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>
    %34 = chlo.broadcast_divide %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %35 = chlo.broadcast_maximum %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %36 = chlo.broadcast_minimum %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %37 = chlo.broadcast_multiply %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %38 = chlo.broadcast_next_after %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %39 = chlo.broadcast_or %i, %i : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %40 = chlo.broadcast_polygamma %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %41 = chlo.broadcast_power %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %42 = chlo.broadcast_remainder %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %43 = chlo.broadcast_shift_left %i, %i : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %44 = chlo.broadcast_shift_right_arithmetic %i, %i : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %45 = chlo.broadcast_shift_right_logical %i, %i : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %46 = chlo.broadcast_subtract %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %47 = chlo.broadcast_xor %i, %i : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %50:2 = chlo.scan(%i) inits(%k) dimension=0 attributes {is_reverse = true} {
    ^bb0(%x: tensor<3xi32>, %y: tensor<3xi32>):
      %51 = stablehlo.add %x, %y : tensor<3xi32>
      stablehlo.return %51, %51 : tensor<3xi32>, tensor<3xi32>
    } : (tensor<4x3xi32>, tensor<3xi32>) -> (tensor<4x3xi32>, tensor<3xi32>)
    %48 = chlo.broadcast_zeta %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    return
  }
  func.func @generic(%a: tensor<4x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf32>, %z: tensor<f32>, %f0: tensor<4xf32>) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %1 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %9 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %2 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %9 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x5xf32>
    %3 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %9 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = "stablehlo.dot_general"(%a, %a) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %6:2 = "stablehlo.sort"(%a, %a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%w: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>, %t: tensor<f32>):
      %9 = stablehlo.compare LT, %w, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %7 = "stablehlo.batch_norm_inference"(%a, %f0, %f0, %f0, %f0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    return
  }
}
