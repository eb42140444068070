// What MLIR prints for forms.mlir in its generic form (jaxlib 0.10.2, StableHLO 1.17),
// functions and the module put back into their pretty form.
module @forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @unary(%arg60: tensor<2xf32> {mhlo.sharding = "{replicated}"}, %arg61: tensor<2xi32>, %arg62: tensor<2xcomplex<f32>>, %arg63: tensor<?x2xf32>) -> tensor<2xf32> {
    %157 = "stablehlo.abs"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %158 = "stablehlo.abs"(%arg62) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %159 = "stablehlo.cbrt"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %160 = "stablehlo.ceil"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %161 = "stablehlo.convert"(%arg61) : (tensor<2xi32>) -> tensor<2xf32>
    %162 = "stablehlo.cosine"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %163 = "stablehlo.count_leading_zeros"(%arg61) : (tensor<2xi32>) -> tensor<2xi32>
    %164 = "stablehlo.exponential"(%arg60) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<2xf32>) -> tensor<2xf32>
    %165 = "stablehlo.exponential_minus_one"(%arg60) {mhlo.frontend_attributes = {a = "b"}} : (tensor<2xf32>) -> tensor<2xf32>
    %166 = "stablehlo.floor"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %167 = "stablehlo.imag"(%arg62) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %168 = "stablehlo.real"(%arg62) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %169 = "stablehlo.is_finite"(%arg60) : (tensor<2xf32>) -> tensor<2xi1>
    %170 = "stablehlo.log"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %171 = "stablehlo.log_plus_one"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %172 = "stablehlo.logistic"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %173 = "stablehlo.negate"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %174 = "stablehlo.not"(%arg61) : (tensor<2xi32>) -> tensor<2xi32>
    %175 = "stablehlo.popcnt"(%arg61) : (tensor<2xi32>) -> tensor<2xi32>
    %176 = "stablehlo.round_nearest_afz"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %177 = "stablehlo.round_nearest_even"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %178 = "stablehlo.rsqrt"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %179 = "stablehlo.sign"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %180 = "stablehlo.sine"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %181 = "stablehlo.sqrt"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %182 = "stablehlo.tan"(%arg60) : (tensor<2xf32>) -> tensor<2xf32>
    %183 = "stablehlo.tanh"(%arg63) : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %184 = "stablehlo.bitcast_convert"(%arg60) : (tensor<2xf32>) -> tensor<2xi32>
    %185 = "stablehlo.reduce_precision"(%arg60) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%157) : (tensor<2xf32>) -> ()
  }
  func.func private @binary(%arg56: tensor<2xf32>, %arg57: tensor<2xi32>, %arg58: tensor<2xi1>, %arg59: tensor<f32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %135 = "stablehlo.add"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %136 = "stablehlo.and"(%arg57, %arg57) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %137 = "stablehlo.atan2"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %138 = "stablehlo.complex"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
    %139 = "stablehlo.divide"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %140 = "stablehlo.maximum"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %141 = "stablehlo.minimum"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %142 = "stablehlo.multiply"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %143 = "stablehlo.or"(%arg57, %arg57) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %144 = "stablehlo.power"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %145 = "stablehlo.remainder"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %146 = "stablehlo.shift_left"(%arg57, %arg57) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %147 = "stablehlo.shift_right_arithmetic"(%arg57, %arg57) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %148 = "stablehlo.shift_right_logical"(%arg57, %arg57) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %149 = "stablehlo.subtract"(%arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %150 = "stablehlo.xor"(%arg57, %arg57) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %151 = "stablehlo.compare"(%arg56, %arg56) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %152 = "stablehlo.compare"(%arg57, %arg57) <{comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %153 = "stablehlo.compare"(%arg56, %arg56) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %154 = "stablehlo.select"(%arg58, %arg56, %arg56) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %155 = "stablehlo.clamp"(%arg56, %arg56, %arg56) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %156 = "stablehlo.clamp"(%arg59, %arg56, %arg59) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    "func.return"(%154, %150) : (tensor<2xf32>, tensor<2xi32>) -> ()
  }
  func.func @shapes(%arg51: tensor<3x4xf32>, %arg52: tensor<f32>, %arg53: tensor<i32>, %arg54: tensor<2xi64>, %arg55: tensor<?x4xf32>) -> () {
    %116 = "stablehlo.broadcast"(%arg51) <{broadcast_sizes = array<i64: 2>}> : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %117 = "stablehlo.broadcast_in_dim"(%arg51) <{broadcast_dimensions = array<i64: 2, 0>}> : (tensor<3x4xf32>) -> tensor<4x5x3xf32>
    %118 = "stablehlo.broadcast_in_dim"(%arg52) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2xf32>
    %119 = "stablehlo.concatenate"(%arg51, %arg51) <{dimension = 1 : i64}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
    %120 = "stablehlo.dynamic_slice"(%arg51, %arg53, %arg53) <{slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %121 = "stablehlo.dynamic_update_slice"(%arg51, %120, %arg53, %arg53) : (tensor<3x4xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %122 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<3x4xi32>
    %123 = "stablehlo.pad"(%arg51, %arg52) <{edge_padding_high = array<i64: 0, 2>, edge_padding_low = array<i64: -1, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x6xf32>
    %124 = "stablehlo.reshape"(%arg51) : (tensor<3x4xf32>) -> tensor<12xf32>
    %125 = "stablehlo.reverse"(%arg51) <{dimensions = array<i64: 0, 1>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %126 = "stablehlo.slice"(%arg51) <{limit_indices = array<i64: 2, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %127 = "stablehlo.transpose"(%arg51) <{permutation = array<i64: 1, 0>}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %128 = "stablehlo.dynamic_broadcast_in_dim"(%arg51, %arg54) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0, 1>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    %129 = "stablehlo.dynamic_iota"(%arg54) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xi32>
    %130 = "stablehlo.dynamic_pad"(%arg51, %arg52, %arg54, %arg54, %arg54) : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %131 = "stablehlo.dynamic_reshape"(%arg51, %arg54) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %132 = "stablehlo.real_dynamic_slice"(%arg51, %arg54, %arg54, %arg54) : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %133 = "stablehlo.get_dimension_size"(%arg55) <{dimension = 0 : i64}> : (tensor<?x4xf32>) -> tensor<i32>
    %134 = "stablehlo.set_dimension_size"(%arg51, %arg53) <{dimension = 0 : i64}> : (tensor<3x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>>
    "func.return"() : () -> ()
  }
  func.func @linear(%arg45: tensor<2x3x4xf32>, %arg46: tensor<2x4x5xf32>, %arg47: tensor<4x4xf32>, %arg48: tensor<1x4x4x2xf32>, %arg49: tensor<3x3x2x8xf32>, %arg50: tensor<8xcomplex<f32>>) -> () {
    %103 = "stablehlo.dot_general"(%arg45, %arg46) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %104 = "stablehlo.dot_general"(%arg47, %arg47) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %105 = "stablehlo.dot_general"(%arg47, %arg47) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %106 = "stablehlo.dot_general"(%arg47, %arg47) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %107 = "stablehlo.convolution"(%arg48, %arg49) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 1, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 1>, window_reversal = array<i1: true, false>, window_strides = array<i64: 2, 1>}> : (tensor<1x4x4x2xf32>, tensor<3x3x2x8xf32>) -> tensor<1x7x1x8xf32>
    %108 = "stablehlo.convolution"(%arg48, %arg49) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x4x2xf32>, tensor<3x3x2x8xf32>) -> tensor<1x2x2x8xf32>
    %109 = "stablehlo.cholesky"(%arg47) <{lower = true}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %110 = "stablehlo.cholesky"(%arg47) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %111 = "stablehlo.fft"(%arg50) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
    %112 = "stablehlo.einsum"(%arg47, %arg47) <{einsum_config = "ij,jk->ik"}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %113 = "stablehlo.unary_einsum"(%arg47) <{einsum_config = "ij->i"}> : (tensor<4x4xf32>) -> tensor<4xf32>
    %114 = "stablehlo.dot"(%arg47, %arg47) <{precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %115 = "stablehlo.dot"(%arg47, %arg47) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    "func.return"() : () -> ()
  }
  func.func private @body(%arg44: tensor<2xf32>) -> tensor<2xf32> {
    "func.return"(%arg44) : (tensor<2xf32>) -> ()
  }
  func.func @control(%arg28: tensor<3x4xf32>, %arg29: tensor<3x4xi32>, %arg30: tensor<f32>, %arg31: tensor<i32>, %arg32: tensor<i1>, %arg33: tensor<2xf32>) -> tensor<i32> {
    %91 = "stablehlo.reduce"(%arg28, %arg30) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg42: tensor<f32>, %arg43: tensor<f32>):
      %102 = "stablehlo.add"(%arg42, %arg43) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%102) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %92:2 = "stablehlo.reduce"(%arg28, %arg29, %arg30, %arg31) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg38: tensor<f32>, %arg39: tensor<i32>, %arg40: tensor<f32>, %arg41: tensor<i32>):
      %100 = "stablehlo.maximum"(%arg38, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %101 = "stablehlo.subtract"(%arg39, %arg41) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%100, %101) : (tensor<f32>, tensor<i32>) -> ()
    }) {mhlo.note = "x"} : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    %93:2 = "stablehlo.while"(%arg31, %arg30) ({
    ^bb0(%arg36: tensor<i32>, %arg37: tensor<f32>):
      %99 = "stablehlo.compare"(%arg36, %arg31) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%99) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg34: tensor<i32>, %arg35: tensor<f32>):
      %98 = "stablehlo.negate"(%92#0) : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%arg34, %arg35) : (tensor<i32>, tensor<f32>) -> ()
    }) {mhlo.note = "y"} : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
    %94:2 = "stablehlo.if"(%arg32) ({
      "stablehlo.return"(%arg31, %arg31) : (tensor<i32>, tensor<i32>) -> ()
    }, {
      "stablehlo.return"(%93#0, %arg31) : (tensor<i32>, tensor<i32>) -> ()
    }) : (tensor<i1>) -> (tensor<i32>, tensor<i32>)
    %95 = "stablehlo.composite"(%arg33) <{composite_attributes = {k = 1 : i32, s = "t"}, decomposition = @body, name = "my.op", version = 2 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
    %96 = "stablehlo.custom_call"(%arg33) <{api_version = 2 : i32, backend_config = "opaque", call_target_name = "foo.bar", has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}> : (tensor<2xf32>) -> tensor<2xf32>
    "stablehlo.custom_call"() <{api_version = 4 : i32, backend_config = {a = 1 : i64}, call_target_name = "not an id", has_side_effect = true}> : () -> ()
    %97 = "func.call"(%96) <{callee = @body}> : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%94#0) : (tensor<i32>) -> ()
  }
  func.func @tokens(%arg23: !stablehlo.token, %arg24: tensor<2xf32>, %arg25: tensor<i32>, %arg26: tensor<2xi64>, %arg27: tensor<2xui64>) -> !stablehlo.token {
    %80 = "stablehlo.create_token"() : () -> !stablehlo.token
    %81 = "stablehlo.after_all"(%arg23, %80) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %82 = "stablehlo.after_all"() : () -> !stablehlo.token
    %83 = "stablehlo.tuple"(%arg24, %arg25) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
    %84 = "stablehlo.get_tuple_element"(%83) <{index = 1 : i32}> : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
    %85:2 = "stablehlo.optimization_barrier"(%arg24, %arg25) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
    %86 = "stablehlo.partition_id"() : () -> tensor<ui32>
    %87 = "stablehlo.replica_id"() : () -> tensor<ui32>
    %88 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %89 = "stablehlo.rng"(%88, %88, %arg26) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    %90:2 = "stablehlo.rng_bit_generator"(%arg27) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    "func.return"(%81) : (!stablehlo.token) -> ()
  }
  func.func @constants() -> tensor<0x2xf32> {
    %62 = "stablehlo.constant"() <{value = dense<[0x7FC00000, 0xFF800000, 1.000000e-01, -0.000000e+00, 1.401300e-45, 3.40282347E+38]> : tensor<6xf32>}> : () -> tensor<6xf32>
    %63 = "stablehlo.constant"() <{value = dense<[[1.500000e+00, 0x7FF0000000000000], [-2.2250738585072014E-308, 0.30000000000000004]]> : tensor<2x2xf64>}> : () -> tensor<2x2xf64>
    %64 = "stablehlo.constant"() <{value = dense<[(1.000000e+00,-2.500000e+00), (0x7FC00000,0.000000e+00)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
    %65 = "stablehlo.constant"() <{value = dense<[true, false, true]> : tensor<3xi1>}> : () -> tensor<3xi1>
    %66 = "stablehlo.constant"() <{value = dense<[-8, 7]> : tensor<2xi4>}> : () -> tensor<2xi4>
    %67 = "stablehlo.constant"() <{value = dense<[0, 15]> : tensor<2xui4>}> : () -> tensor<2xui4>
    %68 = "stablehlo.constant"() <{value = dense<[-2, 1]> : tensor<2xi2>}> : () -> tensor<2xi2>
    %69 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -4.480000e+02]> : tensor<2xf8E4M3FN>}> : () -> tensor<2xf8E4M3FN>
    %70 = "stablehlo.constant"() <{value = dense<[0x7C, 1.500000e+00]> : tensor<2xf8E5M2>}> : () -> tensor<2xf8E5M2>
    %71 = "stablehlo.constant"() <{value = dense<[6.000000e+00, -5.000000e-01]> : tensor<2xf4E2M1FN>}> : () -> tensor<2xf4E2M1FN>
    %72 = "stablehlo.constant"() <{value = dense<[3.140630e+00, 0xFF80]> : tensor<2xbf16>}> : () -> tensor<2xbf16>
    %73 = "stablehlo.constant"() <{value = dense<[6.550400e+04, 5.960460e-08]> : tensor<2xf16>}> : () -> tensor<2xf16>
    %74 = "stablehlo.constant"() <{value = dense<18446744073709551615> : tensor<ui64>}> : () -> tensor<ui64>
    %75 = "stablehlo.constant"() <{value = dense<-9223372036854775808> : tensor<1x1xi64>}> : () -> tensor<1x1xi64>
    %76 = "stablehlo.constant"() <{value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %77 = "stablehlo.constant"() <{value = dense<2.500000e+00> : tensor<40x2xf32>}> {mhlo.note = "z"} : () -> tensor<40x2xf32>
    %78 = "stablehlo.constant"() <{value = dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -32]> : tensor<33xi16>}> : () -> tensor<33xi16>
    %79 = "stablehlo.constant"() <{value = dense<> : tensor<0x2xf32>}> : () -> tensor<0x2xf32>
    "func.return"(%79) : (tensor<0x2xf32>) -> ()
  }
  func.func @chlo(%arg15: tensor<4x3xf32>, %arg16: tensor<4x3xi32>, %arg17: tensor<4x3xcomplex<f32>>, %arg18: tensor<4x3xi1>, %arg19: tensor<3xf32>, %arg20: tensor<3xi32>) -> () {
    %12 = "chlo.acos"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %13 = "chlo.acosh"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %14 = "chlo.asin"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %15 = "chlo.asinh"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %16 = "chlo.atan"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %17 = "chlo.atanh"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %18 = "chlo.bessel_i1e"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %19 = "chlo.conj"(%arg17) : (tensor<4x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %20 = "chlo.cosh"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %21 = "chlo.digamma"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %22 = "chlo.erf"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %23 = "chlo.erf_inv"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %24 = "chlo.erfc"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %25 = "chlo.is_inf"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xi1>
    %26 = "chlo.is_neg_inf"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xi1>
    %27 = "chlo.is_pos_inf"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xi1>
    %28 = "chlo.lgamma"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %29 = "chlo.sinh"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %30 = "chlo.square"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %31 = "chlo.tan"(%arg15) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %32 = "chlo.next_after"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %33 = "chlo.polygamma"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %34 = "chlo.zeta"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %35 = "chlo.broadcast_add"(%arg15, %arg19) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %36 = "chlo.broadcast_compare"(%arg15, %arg19) <{broadcast_dimensions = array<i64: 1>, compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
    %37 = "chlo.broadcast_select"(%arg18, %arg15, %arg19) : (tensor<4x3xi1>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %38 = "chlo.constant_like"(%arg15) <{value = 1.500000e+00 : f32}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %39:2 = "chlo.top_k"(%arg15) <{k = 2 : i64}> : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %40 = "chlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %41 = "chlo._asin_acos_kernel"(%arg17) : (tensor<4x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %42 = "chlo.broadcast_and"(%arg16, %arg16) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %43 = "chlo.broadcast_atan2"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %44 = "chlo.broadcast_complex"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>
    %45 = "chlo.broadcast_divide"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %46 = "chlo.broadcast_maximum"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %47 = "chlo.broadcast_minimum"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %48 = "chlo.broadcast_multiply"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %49 = "chlo.broadcast_next_after"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %50 = "chlo.broadcast_or"(%arg16, %arg16) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %51 = "chlo.broadcast_polygamma"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %52 = "chlo.broadcast_power"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %53 = "chlo.broadcast_remainder"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %54 = "chlo.broadcast_shift_left"(%arg16, %arg16) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %55 = "chlo.broadcast_shift_right_arithmetic"(%arg16, %arg16) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %56 = "chlo.broadcast_shift_right_logical"(%arg16, %arg16) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %57 = "chlo.broadcast_subtract"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %58 = "chlo.broadcast_xor"(%arg16, %arg16) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    %59:2 = "chlo.scan"(%arg16, %arg20) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg21: tensor<3xi32>, %arg22: tensor<3xi32>):
      %61 = "stablehlo.add"(%arg21, %arg22) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      "stablehlo.return"(%61, %61) : (tensor<3xi32>, tensor<3xi32>) -> ()
    }) : (tensor<4x3xi32>, tensor<3xi32>) -> (tensor<4x3xi32>, tensor<3xi32>)
    %60 = "chlo.broadcast_zeta"(%arg15, %arg15) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    "func.return"() : () -> ()
  }
  func.func @generic(%arg0: tensor<4x4xf32>, %arg1: tensor<2x1xi32>, %arg2: tensor<2x4xf32>, %arg3: tensor<f32>, %arg4: tensor<4xf32>) -> () {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %1 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg13: tensor<f32>, %arg14: tensor<f32>):
      %11 = "stablehlo.add"(%arg13, %arg14) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%11) : (tensor<f32>) -> ()
    }) : (tensor<4x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %2 = "stablehlo.reduce_window"(%arg0, %arg3) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %10 = "stablehlo.add"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%10) : (tensor<f32>) -> ()
    }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x5xf32>
    %3 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %9 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = "stablehlo.triangular_solve"(%arg0, %arg0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %6:2 = "stablehlo.sort"(%arg0, %arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
      %8 = "stablehlo.compare"(%arg5, %arg6) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%8) : (tensor<i1>) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %7 = "stablehlo.batch_norm_inference"(%arg0, %arg4, %arg4, %arg4, %arg4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    "func.return"() : () -> ()
  }
}
