// A pad that crops is merged with the padding of the reduce_window behind it (openxla/xla#48715).
// The crop leaves [9]; the window then sees a padding zero and 9, not 6 and 9.
//
// input i32[1,3] 4 6 9
// output i32[1,1] 9
// run default: FAIL
// run older: FAIL
func.func @main(%a: tensor<1x3xi32>) -> tensor<1x1xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.pad %a, %zero, low = [0, -2], high = [0, 0], interior = [1, 0]
      : (tensor<1x3xi32>, tensor<i32>) -> tensor<1x1xi32>
  %1 = "stablehlo.reduce_window"(%0, %zero) <{window_dimensions = array<i64: 1, 2>,
      window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %2 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) : (tensor<1x1xi32>, tensor<i32>) -> tensor<1x1xi32>
  return %1 : tensor<1x1xi32>
}
