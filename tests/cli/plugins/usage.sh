#!/bin/sh
set -eu
. "$(dirname -- "$0")/world.inc"

run plugins list
