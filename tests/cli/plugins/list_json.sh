#!/bin/sh
set -eu
. "$(dirname -- "$0")/world.inc"

library site/jax_plugins/xla_cuda13/xla_cuda_plugin.so
mkdir -p site/jax_plugins/xla_rocm7
echo text >site/jax_plugins/xla_rocm7/xla_rocm_plugin.so
run plugins --platform gpu --json
