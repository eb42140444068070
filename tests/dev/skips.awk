# Finds the skips of a ctest run, which ctest counts as passed.
#
#     awk -v require=NEED,... -f skips.awk OUTPUT-OF-CTEST Testing/Temporary/LastTest.log
#
# A test that skips, or one case of it in a cmocka or pytest run, says `skip: NEED: reason`. Each
# such line is printed. A need that is required, and a skip without such a line, are refused: the
# exit status is 1.

function refuse(why) {
    print "dev: REFUSED skip: " name ": " why
    refused = 1
}

# First file: the tests that ctest itself calls skipped or disabled.
FILENAME == ARGV[1] {
    if (sub(/ \((Skipped|Disabled)\)$/, "") && sub(/^[ \t]*[0-9]+ - /, ""))
        skipped[$0] = 1
    next
}

# Second file: what each test printed.
/^[0-9]+\/[0-9]+ Testing: / {
    name = $0
    sub(/^[^ ]* Testing: /, "", name)
    silent = name in skipped
    told = 0
}
/^\[  SKIPPED \]|^SKIPPED \[/ {
    silent = 1
}
/^(SKIPPED .*)?skip: [a-z-]+: / {
    told = 1
    reason = $0
    sub(/^.*skip: /, "", reason)
    need = reason
    sub(/: .*/, "", need)
    if (index("," require ",", "," need ","))
        refuse(reason)
    else
        print "dev: skipped: " name ": " reason
}
/^<end of output>/ && silent && !told {
    refuse("it gives no reason")
}
END {
    exit refused
}
