#!/usr/bin/env bash
# Compares two ways to generate tests, in the shape of the thesis's tables 6.1 to 6.3: obligations,
# those that each method satisfies, the time of each, their ratio, the average length of a test.
#
#   scripts/regular-vs-incremental.sh [-b BUDGET] [-c CRITERION] [-e ENGINE] MODEL.lus...
#
# Both methods use the same solver, one thread, and only bounded search unless -e says otherwise.
# A time that reached the budget ends with a star. Set PROVOKE to choose the program. CSV on stdout.
set -eu

budget=60s criterion=omcdc engine=bmc
while getopts b:c:e: option; do
    case $option in
        b) budget=$OPTARG ;;
        c) criterion=$OPTARG ;;
        e) engine=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
provoke=${PROVOKE:-provoke}

generate() {
    # Exit code 5 means that something is unknown, which is no failure here.
    "$provoke" generate "$1" -c "$criterion" --method "$2" --prover "$engine" --budget "$budget" \
        --jobs 1 --format json || [ $? -eq 5 ]
}

echo "model,obligations,incremental_satisfied,by_steps_alone,regular_satisfied,incremental_s,regular_s,time_ratio,incremental_length,regular_length"
for model in "$@"; do
    incremental=$(generate "$model" incremental)
    regular=$(generate "$model" regular)
    printf '%s\n%s\n%s\n' "$budget" "$incremental" "$regular" | python3 -c '
import json, os, sys

def seconds(text):
    for unit, factor in (("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)):
        if text.endswith(unit):
            return float(text[: -len(unit)]) * factor
    raise SystemExit(f"not a time: {text}")

budget, _, rest = sys.stdin.read().partition("\n")
decoder = json.JSONDecoder()
incremental, end = decoder.raw_decode(rest)
regular, _ = decoder.raw_decode(rest[end:].lstrip())
ended = lambda run: run["seconds"] >= seconds(budget)
time = lambda run: "%.1f%s" % (run["seconds"], "*" if ended(run) else "")
length = lambda run: "%.3f" % (run["steps"] / run["tests"]) if run["tests"] else ""
alone = sum(s["covered"] for s in incremental["sources"] if s["source"] == "incremental")
ratio = "" if ended(incremental) or ended(regular) else "%.3f" % (
    incremental["seconds"] / max(regular["seconds"], 0.001))
name = os.path.splitext(os.path.basename(regular["model"]))[0]
print(name, regular["obligations"]["total"], incremental["obligations"]["covered"], alone,
      regular["obligations"]["covered"], time(incremental), time(regular), ratio,
      length(incremental), length(regular), sep=",")
'
done
