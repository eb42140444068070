module @outer {
  module @inner {
    func.func private @f(%a: tensor<f32>) -> tensor<f32> {
      return %a : tensor<f32>
    }
    func.func @g(%a: tensor<f32>) -> tensor<f32> {
      %0 = func.call @f(%a) : (tensor<f32>) -> tensor<f32>
      func.return %0 : tensor<f32>
    }
  }
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = call @inner::@g(%a) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
