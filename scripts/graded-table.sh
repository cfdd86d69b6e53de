#!/usr/bin/env bash
# A table of what grades say and cost, for each model beside tags alone:
#   graded-table.sh [MODEL...]
# By default the example models. For each model: its OMC/DC obligations by grade, the tests and their steps, the
# seconds of processor time (user and system, so that other work on the machine matters little) of the graded run and
# of `--as-published`, how many obligations that one covers, the ratio of the times, and what `provoke audit` says of
# the graded folder. A run that takes longer than LIMIT is a line that says so. The last line has the sums.
#   PROVOKE  the program (target/release/provoke)   EFFORT  (1)   LIMIT  seconds for each run (300)
#   KEEP     a folder in which the graded results stay
set -uo pipefail
cd "$(dirname "$0")/.."
provoke=${PROVOKE:-target/release/provoke} effort=${EFFORT:-1} limit=${LIMIT:-300}
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(models/*.lus)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kept=${KEEP:-$work/kept}
mkdir -p "$kept"

# timed COMMAND...: the seconds of processor time in $seconds, the exit code in $code.
timed() {
    { TIMEFORMAT='%U %S'; time timeout "$limit" "$@" >"$work/out" 2>"$work/err"; echo $? >"$work/code"; } 2>"$work/time"
    code=$(cat "$work/code")
    seconds=$(tail -1 "$work/time" | awk '{ printf "%.2f", $1 + $2 }')
}

# field FILTER FILE: what a filter finds in a result.
field() { jq -r "$1" "$2" 2>/dev/null; }

row='%-20s %6s %6s %7s %9s %8s %7s %5s %6s %8s | %8s %8s %6s | %s\n'
printf "$row" model total shown lasting redundant tag-only unknown tests steps s covered s ratio 'audit claims/refuted/unconfirmed'
for model in "${models[@]}"; do
    name=$(basename "$model" .lus)
    rm -rf "${kept:?}/$name"
    timed "$provoke" generate "$model" -c omcdc --effort "$effort" --jobs 1 --format json -o "$kept/$name"
    if [ "$code" != 0 ] && [ "$code" != 5 ]; then
        echo "$name: exit $code after $seconds s (124: longer than $limit s) $(tail -1 "$work/err")"
        continue
    fi
    totals=$(field '.obligations | "\(.total) \(.shown) \(.lasting) \(.redundant) \(.tag_only) \(.unknown)"' "$work/out")
    size=$(field '"\(.tests) \(.steps)"' "$work/out") graded=$seconds
    timed "$provoke" generate "$model" -c omcdc --effort "$effort" --jobs 1 --format json --as-published -o "$work/published"
    rm -rf "$work/published"
    covered=- published=- ratio=-
    if [ "$code" = 0 ] || [ "$code" = 5 ]; then
        covered=$(field .obligations.covered "$work/out") published=$seconds
        ratio=$(echo "$graded $published" | awk '{ printf "%.2f", $1 / ($2 > 0.01 ? $2 : 0.01) }')
    fi
    timed "$provoke" audit "$kept/$name" --format json
    audit=$(field '"\(.claims)/\(.refuted)/\(.unconfirmed)"' "$work/out")
    # shellcheck disable=SC2086,SC2059
    printf "$row" "$name" $totals $size "$graded" "$covered" "$published" "$ratio" "${audit:-exit $code}"
    echo "$totals $size $graded $covered $published ${audit//\// }" >>"$work/sums"
done
[ -s "$work/sums" ] && awk '
    { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) sum[i] += $i }
    END {
        printf "sum: %d obligations, %d shown, %d lasting, %d redundant, %d tag-only, %d unknown, %d tests, %d steps, %.2f s;", \
            sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8], sum[9]
        printf " as published %d covered, %.2f s; ratio %.2f; audit %d claims, %d refuted, %d unconfirmed\n", \
            sum[10], sum[11], sum[9] / (sum[11] > 0 ? sum[11] : 1), sum[12], sum[13], sum[14]
    }' "$work/sums"
