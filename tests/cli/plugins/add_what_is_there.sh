#!/bin/sh
set -eu
. "$(dirname -- "$0")/world.inc"

library data/onchip/plugins/tpu/libtpu/libtpu.so
run plugins add tpu --yes
