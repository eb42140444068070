// A composite means its decomposition, also where that is a private function (pytorch/xla#8792).
//
// input f32[2] 3 -0.5
// output f32[2] 9 0.25
// run default: PASS
// run older: PASS
module {
  func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.composite "course.square" %a {
      composite_attributes = {power = 2 : i32}, decomposition = @square}
      : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
