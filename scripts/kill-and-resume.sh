#!/bin/sh
# Kills a run of `provoke generate` again and again, lets it go on, and compares the end with a run
# that was left alone:
#   kill-and-resume.sh [-n KILLS] [-e EFFORT] [-c CRITERION] MODEL
# Exits with 1 if a verdict or a byte of the suite differs, or if a finished attempt was lost.
set -eu
kills=20 effort=1 criterion=omcdc
while getopts n:e:c: option; do
    case $option in
    n) kills=$OPTARG ;;
    e) effort=$OPTARG ;;
    c) criterion=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
provoke=${PROVOKE:-provoke}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() {
    "$provoke" generate "$model" -c "$criterion" --effort "$effort" -o "$1" >"$work/log" 2>&1
}
kept() { find "$work/cut/segments" -type f -exec cat {} + 2>/dev/null | wc -c; }
model=$1
begin=$(date +%s)
run "$work/whole" || [ $? -eq 5 ]
seconds=$(($(date +%s) - begin))
echo "undisturbed: $seconds s"
before=0
for kill in $(seq "$kills"); do
    run "$work/cut" &
    pause=$(python3 -c "import random; print(round(random.uniform(0.2, max(1, $seconds * 0.9)), 2))")
    sleep "$pause"
    pkill -9 -P $! 2>/dev/null || true
    wait $! || true
    now=$(kept)
    echo "kill $kill after $pause s: $now bytes of finished work"
    [ "$now" -ge "$before" ] || { echo "finished work was lost"; exit 1; }
    before=$now
done
run "$work/cut" || [ $? -eq 5 ]
for file in suite.json verdicts.json; do
    cmp "$work/whole/$file" "$work/cut/$file"
done
echo "the same suite and verdicts after $kills kills"
