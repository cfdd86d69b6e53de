#!/bin/sh
# Counts the ones it reads, up to three; a nine ends it.
count=0
while read -r value; do
    [ "$value" = 9 ] && exit 3
    [ "$value" = 1 ] && [ "$count" -lt 3 ] && count=$((count + 1))
    [ "$value" = 0 ] && count=0
    echo "$count"
done
