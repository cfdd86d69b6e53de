#!/bin/sh
# Confirms from outside what `provoke generate` claims, a line of CSV for each model:
#   confirm.sh [-c CRITERION] [-b BUDGET] MODEL...
# Every covered obligation is measured again in a process of its own; every infeasible one must
# survive at least a million random steps from another seed; and the share of covered obligations
# whose change can be seen exactly is told. Exits with 1 if a claim is wrong.
set -eu
criterion=omcdc budget=60s
while getopts c:b: option; do
    case $option in
    c) criterion=$OPTARG ;;
    b) budget=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
provoke=${PROVOKE:-provoke}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0
echo "model,criterion,total,covered,infeasible,unknown,tests,steps,seconds,confirmed,contradicted,random steps,exact"
for model in "$@"; do
    rm -rf "$work/out"
    "$provoke" generate "$model" -c "$criterion" --budget "$budget" -o "$work/out" --format json \
        >"$work/generated.json" 2>"$work/log" || [ $? -eq 5 ]
    "$provoke" measure "$model" "$work/out/suite.json" -c "$criterion" --exact step --format json \
        >"$work/measured.json" 2>>"$work/log" || [ $? -eq 1 ]
    # A quarter of the steps in vain ends it: so there are a million at least.
    "$provoke" generate "$model" -c "$criterion" --method random --effort 20 --seed 99 --reduce none \
        --format json >"$work/random.json" 2>>"$work/log" || [ $? -eq 5 ]
    python3 - "$model" "$criterion" "$work" <<'P' || wrong=1
import json, os, sys
model, criterion, work = sys.argv[1:]
load = lambda name: json.load(open(os.path.join(work, name)))
generated, measured, random = load("generated.json"), load("measured.json"), load("random.json")
ids = lambda result, verdict: {v["id"] for v in result["verdicts"] if v["verdict"] == verdict}
covered, infeasible = ids(generated, "covered"), ids(generated, "infeasible")
confirmed = covered - set(measured["uncovered"])
contradicted = infeasible & ids(random, "covered")
total = generated["obligations"]
only_tagged = set(measured["exact"]["only_tagged"]) & covered
print(os.path.splitext(os.path.basename(model))[0], criterion, total["total"], total["covered"],
      total["infeasible"], total["unknown"], generated["tests"], generated["steps"],
      generated["seconds"], len(confirmed), len(contradicted), ">=1000000",
      len(covered) - len(only_tagged), sep=",", flush=True)
sys.exit(confirmed != covered or bool(contradicted))
P
done
exit $wrong
