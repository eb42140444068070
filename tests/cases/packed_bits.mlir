// Bytes of an i1 constant that hold eight elements each, as MLIR wrote them up to StableHLO 1.13
// (xdslproject/xdsl#1971). Newer ones take a byte an element and refuse these; so does onchip, and
// names the version.
//
// refuse 8:36 bits packed as MLIR up to StableHLO 1.13 wrote them
// mend "0x1503" => "0x01000100010000000101"
func.func @main() -> tensor<10xi1> {
  %0 = stablehlo.constant dense<"0x1503"> : tensor<10xi1>
  return %0 : tensor<10xi1>
}
