#!/bin/sh
set -eu
. "$(dirname -- "$0")/world.inc"

library data/onchip/plugins/tpu/libtpu/libtpu.so
library site/libtpu/libtpu.so
library home/.local/lib/python3.10/site-packages/libtpu/libtpu.so
run plugins --platform tpu
