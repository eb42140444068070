# libonchip.so shows oc_ names alone, and the process in which a plugin lives holds nothing that
# judges.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

nm -D --defined-only "$ONCHIP_LIBRARY" | awk '{print $3}' >shown
grep -qx oc_check shown || { echo "oc_check is not shown"; exit 1; }
grep -qx oc_verify_file shown || { echo "oc_verify_file is not shown"; exit 1; }
if grep -vE '^oc_[a-z]' shown; then
    echo "these names are shown and are not the library's"
    exit 1
fi

judges='oc__(numeric|placement|reference|verify|receipt|check)_|^oc_(verify|check|figure)'
nm "$ONCHIP_WORKER" | awk '{print $NF}' >worker
nm "$ONCHIP_BIN" | awk '{print $NF}' >program
grep -qx oc__worker_serve worker || { echo "the worker has no names to look at"; exit 1; }
if grep -E "$judges" worker; then
    echo "these names are in the worker and judge"
    exit 1
fi
for name in oc__numeric_exact oc__placement_judge oc__reference_affine oc_verify_file; do
    # The twin: the program has them, so the pattern would find them.
    grep -E "$judges" program | grep -qx $name || { echo "$name is not found at all"; exit 1; }
done
