// The specification writes signed integers as si64, the dialect as i64 (openxla/stablehlo#2489). A
// refusal must say so.
//
// input i16[2] 3 -4
// refuse 8:30 no type 'si16': the dialect writes signed integers as signless ones, 'i16'
// mend si16 => i16
//
func.func @main(%a: tensor<2xsi16>) -> tensor<2xsi16> {
  %0 = stablehlo.add %a, %a : tensor<2xsi16>
  return %0 : tensor<2xsi16>
}
