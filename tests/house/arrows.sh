# An include against the arrow is a missing file: compiled with exactly the include paths of a room,
# a header that the room must not see is not found, while one that it needs is.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

sees() { # room header
    set -- "$1" "$2" -std=c17 -D_GNU_SOURCE -fsyntax-only
    while read -r folder; do
        [ -z "$folder" ] || set -- "$@" -I "$folder"
    done <"$ONCHIP_HOUSE/$1.includes"
    printf '#include "%s"\n' "$2" >"$work/one.c"
    shift 2
    "$CC" "$@" "$work/one.c" 2>"$work/log"
}

must_not() { # room header
    [ -f "$ONCHIP_TEST_SOURCE/src/$2" ] || [ -f "$ONCHIP_TEST_SOURCE/include/$2" ] || {
        echo "$2 is no header of this house"
        failed=1
    }
    if sees "$1" "$2"; then
        echo "$1 can include $2"
        failed=1
    elif ! grep -qF "$2" "$work/log" || ! grep -qE 'No such file|not found' "$work/log"; then
        echo "$1: $2 fails for another reason:"
        cat "$work/log"
        failed=1
    fi
}

may() { # room header
    if ! sees "$1" "$2"; then
        echo "$1 cannot include $2:"
        cat "$work/log"
        failed=1
    fi
}

for room in numeric verify; do
    for header in pjrt/pjrt_api.h pjrt/pjrt_client.h pjrt/compile_options.h pjrt/plugin_search.h \
        onchip/plugin.h device/device.h device/wire.h device/channel.h onchip/device.h; do
        must_not $room $header
    done
done
for header in reference/affine.h numeric/exact.h device/device.h pjrt/pjrt_api.h onchip/device.h; do
    must_not placement $header
done
for header in run/check_run.h onchip/check.h; do
    must_not numeric $header
    must_not placement $header
    must_not verify $header
done
must_not numeric receipt/receipt.h
for room in stablehlo reference program; do
    for header in pjrt/pjrt_api.h onchip/plugin.h device/device.h onchip/device.h numeric/judge.h; do
        must_not $room $header
    done
done

may numeric reference/affine.h
may reference stablehlo/module.h
may program reference/evaluate.h
may numeric numeric/exact.h
may placement receipt/receipt.h
may verify numeric/prediction.h
may verify placement/placement.h
may verify onchip/verify.h

# What the build cannot see: an include by a path, and a declaration written by hand.
if grep -nE '#include "\.\./|^[[:space:]]*extern [^"]*oc__' -r "$ONCHIP_TEST_SOURCE/src" \
    "$ONCHIP_TEST_SOURCE/cli" --include='*.c'; then
    echo "the house is circumvented"
    failed=1
fi
exit $failed
