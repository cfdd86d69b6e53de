#!/bin/sh
# Ends `make test`: how many checks were skipped and why, from the list that the testkit keeps, and which
# tests are left to other targets of the Makefile.
set -eu
cd "$(dirname "$0")/.."
list=target/skipped.txt
count=0
[ ! -f "$list" ] || count=$(wc -l <"$list")
echo "skipped checks: $count"
if [ "$count" -gt 0 ]; then
    cut -f 1 "$list" | sort | uniq -c | sort -k 1,1nr -k 2
fi
# Children of other tests are no checks of their own.
left=$(grep -rhoE '#\[ignore = "[^"]*"\]' crates/*/tests crates/*/src | grep -v '"the child of' |
    sed 's/^#\[ignore = "//; s/"\]$//' | sort | uniq -c)
echo "tests left to other targets: $(echo "$left" | awk '{ sum += $1 } END { print sum + 0 }')"
echo "$left"
