#!/bin/sh
set -eu
. "$(dirname -- "$0")/world.inc"

library site/libtpu/libtpu.so
ONCHIP_PLUGIN_TPU=/nowhere/libtpu.so
export ONCHIP_PLUGIN_TPU
run plugins --platform tpu
