"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "main", arg_attrs = [{a.k = 1 : i64}]}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "stablehlo.constant"() <{value = dense<"0x0000803F"> : tensor<4xf32>}> : () -> tensor<4xf32>
    %1 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%9) : (tensor<i1>) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %2, %3:2 = "x.y"(%0, %1) {n = #stablehlo.gather<offset_dims = [0], index_vector_dim = 1>, p = dense<[[1, 1], [2, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<complex<f32>>, tensor<4xf32>, !stablehlo.token)
    "func.return"(%3#0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) {a.b = 1 : i32} : () -> ()
