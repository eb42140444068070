// What MLIR of StableHLO 1.17 does not read, or not alone: newer forms, quantized types,
// nested modules, attributes of other dialects.
module @more attributes {jax.uses_shape_polymorphism = true, "odd name" = [1 : i8, unit, {a, b = 2.5 : f16}]} {
  module @"in side" {
    func.func public @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      return %x : tensor<2xf32>
    }
    module @deep {
      func.func @g() {
        return
      }
    }
    func.func @h() {
      return
    }
  }
  func.func @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32, mhlo.sharding = "{devices=[2]<=[2]}"}, %k: tensor<2xi32>) -> (tensor<2xf32> {jax.result_info = ""}) attributes {note.flag} {
    %0 = call @"in side"::@f(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:-1>>
    %2 = stablehlo.add %1, %1 : tensor<2x!quant.uniform<i8:f32, 5.000000e-01:-1>>
    %3 = stablehlo.uniform_dequantize %2 : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:-1>>) -> tensor<2xf32>
    %4 = stablehlo.constant() <{value = dense<3> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:-1>>
    %values, %indices = chlo.top_k(%x, k = 1, is_stable = false) : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi32>)
    %5 = chlo.mulhi %k, %k : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
    %6 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
    %7 = stablehlo.add %x, %6 {mhlo.sharding = "{replicated}", note.list = array<f32: 1.0, 2.5>, note.none = array<i8>, note.flags = array<i1: true, false>} : tensor<2xf32>
    return %7 : tensor<2xf32>
  }
}
