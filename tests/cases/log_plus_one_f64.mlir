// log(1 + x) of f64 is some 130 ulp off near -0.414 (jax-ml/jax#39707). The values are the
// logarithms computed with 60 digits and rounded.
//
// input f64[4] -0.4140625 0.25 -0.375 -0.8
// output f64[4] -0.5345421503833068 0.22314355131420976 -0.4700036292457356 -1.6094379124341005
// eval within 1 ulp
// device within 4 ulp
// run default: PASS
// run older: UNKNOWN|FAIL
func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.log_plus_one %a : tensor<4xf64>
  return %0 : tensor<4xf64>
}
