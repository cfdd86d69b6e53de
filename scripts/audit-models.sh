#!/usr/bin/env bash
# Generates suites, proofs and mutants' verdicts of models and lets `provoke audit` re-check every claim:
#   audit-models.sh [MODEL...]
# By default the example models and those of testdata/golden. A line for each run; exits with 1 if a claim is
# refuted or something else goes wrong, and says how many claims stay unconfirmed.
set -uo pipefail
cd "$(dirname "$0")/.."
provoke=${PROVOKE:-target/debug/provoke}
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(models/*.lus testdata/golden/*.lus)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0 claims=0 unconfirmed=0

# run NAME OUTPUT COMMAND...: what the command claims is audited.
run() {
    local name=$1 out=$2 code numbers
    shift 2
    "$provoke" "$@" -o "$out" >"$work/log" 2>&1
    code=$?
    if [ $code != 0 ] && [ $code != 1 ] && [ $code != 5 ]; then
        echo "$name: exit $code of: provoke $*"
        cat "$work/log"
        wrong=1
        return
    fi
    "$provoke" audit "$out" --format json >"$work/audit.json" 2>"$work/log"
    code=$?
    if [ $code != 0 ] && [ $code != 5 ]; then
        echo "$name: audit ended with $code after: provoke $*"
        cat "$work/log" "$work/audit.json"
        wrong=1
        return
    fi
    numbers=$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
assert found["refuted"] == 0 and found["claims"] == found["confirmed"] + found["unconfirmed"], found
print(found["claims"], found["confirmed"], found["unconfirmed"], found["seconds"])' "$work/audit.json") ||
        { wrong=1; return; }
    read -r all confirmed open seconds <<<"$numbers"
    printf '%-40s %6d claims, %6d confirmed, %4d unconfirmed, %s s\n' "$name" "$all" "$confirmed" "$open" "$seconds"
    claims=$((claims + all)) unconfirmed=$((unconfirmed + open))
}

for model in "${models[@]}"; do
    name=$(basename "$model" .lus)
    run "$name, coverage" "$work/$name" generate "$model" -c condition,decision,branch,mcdc --budget 30s
    ! grep -q -e '--%PROPERTY' "$model" ||
        run "$name, properties" "$work/$name-properties" prove "$model" --budget 30s
    [ ! -f "$work/$name/suite.json" ] ||
        run "$name, mutants" "$work/$name-mutants" mutate "$model" "$work/$name/suite.json" --equivalence --sample 60 --budget 10s
done
echo "$claims claims, $unconfirmed unconfirmed"
# A run that claims nothing was no check.
[ "$claims" -gt 0 ] || wrong=1
exit $wrong
