// What a float outside the range of an integer becomes depends on the stack (jax-ml/jax#13101,
// tensorflow/tensorflow#126212). Inside it is cut toward zero; outside the specification is
// silent, and the reference does what XLA documents: it saturates, NaN gives 0.
//
// input f32[5] nan 1e10 -1e10 7.9 -3.5
// output i16[5] ?0 ?32767 ?-32768 7 -3
// output ui8[5] ?0 ?255 ?0 7 ?0
// run default: UNKNOWN
// run older: UNKNOWN
func.func @main(%a: tensor<5xf32>) -> (tensor<5xi16>, tensor<5xui8>) {
  %0 = stablehlo.convert %a : (tensor<5xf32>) -> tensor<5xi16>
  %1 = stablehlo.convert %a : (tensor<5xf32>) -> tensor<5xui8>
  return %0, %1 : tensor<5xi16>, tensor<5xui8>
}
