#!/bin/sh
# The rules of MISRA C:2012 that the generated C of the models deviates from, as cppcheck counts them:
#   misra.sh [PROVOKE]
# The figures of docs/MISRA.md come from here.
provoke=${1:-target/release/provoke}
command -v cppcheck >/dev/null || exec "$(dirname "$0")/debian-packages.sh" cppcheck cppcheck
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for model in models/*.lus; do
    "$provoke" codegen "$model" -o "$folder" >/dev/null 2>&1
done
for code in "$folder"/*.c; do
    (cd "$folder" && cppcheck --addon=misra --std=c99 --enable=style --quiet "$(basename "$code")" 2>&1)
done | grep -o 'misra-c2012-[0-9.]*' | sort | uniq -c
