#!/bin/sh
# ./dev, in a scratch copy of the project: tiny pins in place of the real ones, and dpkg-query,
# apt-get, sudo and id replaced by programs that lie as each case asks. No network is used.
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repo="$work/a copy"
mkdir -p "$repo/cmake/deps" "$work/bin" "$work/wheels" "$work/empty"
cp "$top/dev" "$repo/dev"
faults=0

# fake NAME: the program, from standard input; $work and $@ are expanded when it runs.
fake() {
    { printf '#!/bin/sh\nwork=%s\n' "'$work'" && cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

fake dpkg-query <<'END'
shift 3
for package in "$@"; do
    grep -qx "$package" "$work/absent" || printf '|%s installed|' "$package"
done
END
fake apt-get <<'END'
printf '%s\n' "$*" >>"$work/apt.log"
exit 1
END
fake dpkg <<'END'
exit 0
END
fake sudo <<'END'
exit 1
END
fake id <<'END'
cat "$work/uid"
END

# dev ARGUMENT...: runs it from another folder; leaves $status, $work/out and $work/err.
dev() {
    status=0
    (cd / && PATH="$work/bin:$PATH" HOME=/nonexistent PIP_NO_INDEX=1 \
        PIP_FIND_LINKS="$links" "$repo/dev" "$@") >"$work/out" 2>"$work/err" </dev/null ||
        status=$?
}

# is SENTENCE COMMAND...
is() {
    sentence=$1
    shift
    if "$@"; then
        echo "ok: $sentence"
    else
        echo "FAILED: $sentence (status $status)"
        cat "$work/out" "$work/err"
        faults=$((faults + 1))
    fi
}
ended() { [ "$status" -eq "$1" ]; }
says() { grep -q -- "$1" "$work/err"; }
not() { ! "$@"; }

# tiny_wheel: a wheel of one file, in $work/wheels.
tiny_wheel() {
    python3 - "$work/wheels/tiny-1.0-py3-none-any.whl" <<'END'
import sys, zipfile
info = "tiny-1.0.dist-info/"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("tiny.py", "whole = True\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", "tiny.py,,\n" + "".join(
        info + name + ",,\n" for name in ("METADATA", "WHEEL", "RECORD")))
END
}

# pin NAME HASH
pin() {
    printf 'tiny==1.0 \\\n    --hash=sha256:%s\n' "$2" >"$repo/cmake/deps/$1.txt"
}

: >"$work/absent"
echo 0 >"$work/uid"
tiny_wheel
links="$work/empty"
hash=$(sha256sum "$work/wheels/tiny-1.0-py3-none-any.whl" | cut -d' ' -f1)
for name in venv cpu older-cpu; do pin "$name" "$hash"; done

# --- the command line ---
dev
is 'without a verb it prints the help' ended 0
for verb in deps build demo test bench asan fuzz fault lint format; do
    is "the help names $verb" grep -q "^  $verb " "$work/out"
done
dev frobnicate
is 'an unknown verb is a usage error' ended 2
dev deps now
is 'an argument too many is a usage error' ended 2
for seconds in 0 -1 ten '1 2'; do
    dev fuzz "$seconds"
    is "fuzz '$seconds' is a usage error" ended 2
    dev fault "$seconds"
    is "fault '$seconds' is a usage error" ended 2
done

# --- wheels ---
dev deps
is 'without the wheels it stops with status 5' ended 5
is 'it names a wheel and its folder' says 'tiny==1.0 (in .deps/older-cpu)'
is 'nothing is left half-written' [ ! -e "$repo/.deps" ]

links="$work/wheels"
dev deps
is 'with the wheels it succeeds' ended 0
is 'the wheel is in its folder' [ -f "$repo/.deps/cpu/tiny.py" ]
is 'the venv has it too, under its final name' \
    "$repo/.deps/venv/bin/python" -I -c 'import sys, tiny; sys.exit(not sys.prefix.endswith(".deps/venv"))'
is 'no script of the venv names the folder where it was made' \
    not grep -rqF .deps/.new "$repo/.deps/venv/bin" "$repo/.deps/venv/pyvenv.cfg"
is 'no staging is left' [ ! -e "$repo/.deps/.new" ]

links="$work/empty"
dev deps
is 'a second run needs nothing' ended 0
is 'and says nothing' [ ! -s "$work/err" ]

echo '# changed' >>"$repo/cmake/deps/cpu.txt"
dev deps
is 'a changed pin asks for its wheel again' ended 5
is 'and only for that one' not says older-cpu
links="$work/wheels"
mkdir -p "$repo/.deps/.new/cpu"
: >"$repo/.deps/.new/cpu/half"
dev deps
is 'what a killed run left does not end up in the folder' [ ! -e "$repo/.deps/cpu/half" ]
is 'the changed pin is installed' cmp -s "$repo/cmake/deps/cpu.txt" "$repo/.deps/cpu/.pin"

pin cpu "$(printf %064d 0)"
dev deps
is 'a wheel with another hash is refused' ended 5
is 'pip says why' says 'DO NOT MATCH THE HASHES'
is 'the folder in place is not touched' [ -f "$repo/.deps/cpu/tiny.py" ]
pin cpu "$hash"

# --- packages ---
is 'with every package installed apt-get was not called' [ ! -e "$work/apt.log" ]
echo ninja-build >"$work/absent"
dev deps
is 'a package that apt-get cannot install is status 5' ended 5
is 'apt-get was asked for that package and no other' \
    grep -q 'install --no-install-recommends ninja-build$' "$work/apt.log"
is 'the message names it alone' says '^missing packages: ninja-build$'

rm "$work/apt.log"
echo 1000 >"$work/uid"
dev deps
is 'without root and without sudo it is status 5' ended 5
is 'and says so' says 'this needs root, or a user with sudo'
is 'and apt-get is not called' [ ! -e "$work/apt.log" ]
is 'and the command for root is given' says 'apt-get install --no-install-recommends ninja-build$'

# --- skips ---
printf '1/1 Testing: slow\nskip: tpu: no TPU here\n<end of output>\n' >"$work/told"
printf '1/1 Testing: slow\n[  SKIPPED ] case\n<end of output>\n' >"$work/silent"
printf '1/1 Testing: slow\nSKIPPED [1] t.py:3: skip: tpu: none\n<end of output>\n' >"$work/pytest"
printf '1/1 Testing: slow\nfine\n<end of output>\n' >"$work/none"
printf '\t  1 - slow (Skipped)\n' >"$work/ctest"
skips() {
    status=0
    awk -v require="$1" -f "$top/tests/dev/skips.awk" "$2" "$work/$3" >"$work/out" 2>"$work/err" ||
        status=$?
}
skips plugin,python /dev/null none
is 'no skip passes' ended 0
skips plugin,python "$work/ctest" told
is 'a skip for something not required passes' ended 0
is 'and is printed' grep -q 'skipped: slow: tpu: no TPU here' "$work/out"
skips plugin,tpu "$work/ctest" told
is 'a skip for something required fails' ended 1
skips plugin,tpu /dev/null pytest
is 'so does one case of a pytest run' ended 1
skips plugin /dev/null pytest
is 'which passes when it is not required' ended 0
skips plugin /dev/null silent
is 'a case skipped without a reason fails' ended 1
skips plugin "$work/ctest" none
is 'a test skipped without a reason fails' ended 1

[ "$faults" -eq 0 ]
