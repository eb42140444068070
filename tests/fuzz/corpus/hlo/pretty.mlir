#map = affine_map<(d0) -> (d0)>
#dims = array<i64: 0, 1>
!pair = tuple<tensor<2xf32>, tensor<i1>>
module @pretty attributes {mhlo.num_partitions = 1 : i32, tag} {
  sdy.mesh @mesh = <["x"=2]>
  "x.y"() ({ func.call @nobody() : () -> () }) : () -> ()
  func.func public @main(%arg0: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("a":1:2), %arg1: tensor<?xi32, #stablehlo.bounds<4>>) -> (tensor<2xf32> {jax.result_info = "r"}, tensor<?xi32, #stablehlo.bounds<4>>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> loc(#loc1)
    %c = stablehlo.constant dense<[1, -2]> : tensor<2xi4>
    %1:2 = stablehlo.while(%i = %0, %j = %c) : tensor<2xf32>, tensor<2xi4>
     cond {
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      stablehlo.return %i, %j : tensor<2xf32>, tensor<2xi4>
    }
    %2 = call @"g h"(%1#0) : (tensor<2xf32>) -> tensor<2xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}]> : tensor<2xf32>
    %4 = stablehlo.custom_call @y(%3) {operand_layouts = [dense<[0]> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
    return %4, %arg1 : tensor<2xf32>, tensor<?xi32, #stablehlo.bounds<4>>
  }
  func.func private @"g h"(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @x(%a) {dims = #dims, m = #map, f = 1.5 : bf16, h = 0x7FC0 : bf16, s = "q\22\n", l = [1, {a}]} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @declared(tensor<f32>) -> !pair
}
#loc1 = loc(callsite("f" at "g"))
