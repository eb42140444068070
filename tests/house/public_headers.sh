# Each public header compiles alone, as C17 and as C++, and again when it is included twice.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

compiles() { # header
    printf '#include "%s"\n#include "%s"\nextern int alone;\n' "$1" "$1" >alone.c
    cp alone.c alone.cpp
    "$CC" -std=c17 -pedantic-errors -Wall -Wextra -Wstrict-prototypes -Werror \
        -I "$include" -fsyntax-only alone.c 2>c.log &&
        "$CXX" -std=c++11 -pedantic-errors -Wall -Wextra -Werror \
            -I "$include" -fsyntax-only alone.cpp 2>cpp.log
}

include=$ONCHIP_TEST_SOURCE/include
count=0
for header in "$include"/onchip/*.h; do
    if ! compiles "onchip/${header##*/}"; then
        echo "onchip/${header##*/} does not compile alone:"
        cat ./*.log
        exit 1
    fi
    count=$((count + 1))
done
[ "$count" -ge 6 ] || { echo "only $count headers were found"; exit 1; }

# Headers that do not stand alone are refused: a missing type, and a name that C++ keeps.
include=$work
printf 'size_t f(void);\n' >needs_stddef.h
printf 'struct s { int class; };\n' >no_cpp.h
for twin in needs_stddef.h no_cpp.h; do
    if compiles "$twin"; then
        echo "$twin must be refused"
        exit 1
    fi
done
