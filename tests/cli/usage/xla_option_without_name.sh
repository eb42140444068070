# Refused before anything is loaded: this plugin cannot even start.
printf 'func.func @main() -> tensor<f32> {
  %%0 = stablehlo.constant dense<1.0> : tensor<f32>
  return %%0 : tensor<f32>
}
' >one.mlir
for option in = =1 xla_dump_to; do
    "$ONCHIP_BIN" run one.mlir --plugin "$ONCHIP_TEST_FAKES/libfake_init_fails.so" \
        --xla-option "$option" || echo "status $?"
done
