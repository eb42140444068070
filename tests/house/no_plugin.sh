# `verify`, `plugins`, `eval` and `inspect` load no plugin; `devices` does. The dynamic loader itself tells which
# libraries it maps (LD_DEBUG of ld.so(8)), in this process and in every one that it starts.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
plugin=$ONCHIP_TEST_FAKES/libfake_honest.so
unset VIRTUAL_ENV CONDA_PREFIX

loaded() { # verb and its arguments; yields the plugins and workers that were loaded
    status=0
    env -u LD_DEBUG ASAN_OPTIONS=detect_leaks=0 ONCHIP_PLUGIN_CPU="$plugin" LD_DEBUG=files \
        LD_DEBUG_OUTPUT="$work/ld" "$ONCHIP_BIN" "$@" >out 2>err || status=$?
    cat ld.* >loader
    rm -f ld.*
    grep -q 'libc\.so' loader || { echo "the loader told nothing"; exit 1; }
    grep -oE 'file=[^ ]*(libfake_|pjrt|libtpu)[^ ]*' loader || true
}

is() { # status, plugins loaded
    if [ "$status" != "$1" ] || [ "$2" != "$3" ]; then
        echo "status $status instead of $1, loaded: '$2'"
        cat err
        exit 1
    fi
}

loaded verify "$ONCHIP_TEST_SOURCE/tests/data/receipts/good-cpu.json" --require cpu >list
is 0 "$(cat list)" ''
grep -q PASS out
loaded plugins >list
is 0 "$(cat list)" ''
grep -q libfake_honest.so out
loaded verify "$ONCHIP_TEST_SOURCE/tests/data/receipts/good-cpu.json" --require tpu >list
is 1 "$(cat list)" ''

program=$ONCHIP_TEST_SOURCE/tests/data/hlo/square.mlir
loaded eval "$program" --input random:1 >list
is 0 "$(cat list)" ''
loaded inspect "$program" >list
is 0 "$(cat list)" ''

# OpenBLAS starts threads when it is mapped: only a product wants it.
if grep -q openblas loader; then
    echo "inspect loads OpenBLAS"
    exit 1
fi

# The twin: the same look at a verb that must load it.
loaded devices >list
is 0 "$(sort -u list | head -n 1 | grep -o libfake_honest.so)" libfake_honest.so
