# docs/supported-ops.md is what the tables say.
"$ONCHIP_SUPPORTED_OPS" | diff -u "$ONCHIP_TEST_SOURCE/docs/supported-ops.md" - || {
    echo "docs/supported-ops.md is stale: build/tests/supported_ops > docs/supported-ops.md" >&2
    exit 1
}
