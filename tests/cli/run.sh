#!/bin/sh
# Golden tests of the command line.
#
#     run.sh [--accept] CASE.sh...
#
# A case is a script, run by sh in a scratch folder of its own with $ONCHIP_BIN (and what else the
# build tells tests) in a neutral environment. Its siblings say what it must do, to the byte:
#
#     CASE.stdout  CASE.stderr  CASE.exit     when missing: silence, silence, 0
#     CASE.stdout.glob  CASE.stderr.glob      instead, a shell pattern for each line
#
# Only a .glob masks anything, and only the part of a line that it says. A case that is killed, or
# ends with 126 or 127, has failed whatever is expected. A case that exits 77 is skipped and must
# say `skip: NEED: reason`. `--accept` writes the siblings anew, but never a .glob.
# Exit status: 0 all passed, 1 a case failed, 77 a case was skipped and none failed.
set -eu

accept=no
if [ "${1:-}" = --accept ]; then
    accept=yes
    shift
fi
[ $# -gt 0 ] || { echo "usage: run.sh [--accept] CASE.sh..." >&2; exit 2; }
: "${ONCHIP_BIN:?names the program under test}"

# Whatever changes what onchip does, or how argp prints, on somebody's machine.
for name in $(env | sed -n 's/^\(ONCHIP_PLUGIN_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
unset COURSE_EXPECT_PLATFORM PJRT_NAMES_AND_LIBRARY_PATHS TPU_LIBRARY_PATH VIRTUAL_ENV \
    CONDA_PREFIX XDG_DATA_HOME ARGP_HELP_FMT POSIXLY_CORRECT COLUMNS CDPATH
LC_ALL=C
export LC_ALL

work=$(mktemp -d)
work=$(CDPATH='' cd -- "$work" && pwd -P)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# matches PATTERNS TEXT: every line of TEXT, and no other, matches its line of PATTERNS.
matches() {
    while :; do
        pattern_there=yes
        line_there=yes
        IFS= read -r pattern <&3 || [ -n "$pattern" ] || pattern_there=no
        IFS= read -r line <&4 || [ -n "$line" ] || line_there=no
        [ "$pattern_there" = "$line_there" ] || return 1
        [ "$line_there" = yes ] || return 0
        # shellcheck disable=SC2254 # it is a pattern
        case $line in
        $pattern) ;;
        *) return 1 ;;
        esac
    done 3<"$1" 4<"$2"
}

# check_stream NAME: what the case wrote there against its sibling.
check_stream() {
    golden=$base.$1
    if [ -e "$golden.glob" ]; then
        matches "$golden.glob" "$work/$1" && return
        echo "$case: $1 does not match its .glob (which --accept does not write):"
        golden=$golden.glob
    elif [ "$accept" = yes ]; then
        rm -f "$golden"
        [ ! -s "$work/$1" ] || cp "$work/$1" "$golden"
        return
    else
        [ -e "$golden" ] || golden=/dev/null
        cmp -s "$golden" "$work/$1" && return
        echo "$case: $1 differs:"
    fi
    diff -u "$golden" "$work/$1" || true
    failed=yes
}

check_status() {
    wanted=0
    [ ! -e "$base.exit" ] || wanted=$(cat "$base.exit")
    if [ "$status" -ge 126 ]; then
        echo "$case: ended with status $status, which is a crash and never expected"
        failed=yes
    elif [ "$accept" = yes ]; then
        rm -f "$base.exit"
        [ "$status" -eq 0 ] || echo "$status" >"$base.exit"
    elif [ "$status" != "$wanted" ]; then
        echo "$case: exit status is $status, must be $wanted"
        failed=yes
    fi
}

# run_case: in an empty folder, which is also home.
run_case() {
    status=0
    mkdir "$work/scratch"
    (cd "$work/scratch" && HOME=$work/scratch exec sh "$case") \
        >"$work/stdout" 2>"$work/stderr" </dev/null || status=$?
    chmod -R u+w "$work/scratch"
    rm -rf "$work/scratch"
}

any_failed=no
any_skipped=no
for case in "$@"; do
    case=$(CDPATH='' cd -- "$(dirname -- "$case")" && pwd -P)/${case##*/}
    base=${case%.sh}
    failed=no
    run_case
    if [ "$status" -eq 77 ]; then
        cat "$work/stderr"
        any_skipped=yes
        continue
    fi
    check_status
    check_stream stdout
    check_stream stderr
    [ "$failed" = no ] || any_failed=yes
done
[ "$any_failed" = no ] || exit 1
[ "$any_skipped" = no ] || exit 77
