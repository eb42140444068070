#!/bin/sh
set -eu
. "$(dirname -- "$0")/world.inc"

library home/.local/lib/python3.10/site-packages/libtpu/libtpu.so
run plugins --platform tpu
