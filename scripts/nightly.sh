#!/usr/bin/env bash
# What takes longer than continuous integration may, one step after the other; the result is written to
# docs/NIGHTLY.md. CAMPAIGN and FUZZ are seconds, SEED is that of the campaign.
set -uo pipefail
cd "$(dirname "$0")/.."
export PROVOKE_REQUIRE_SHARED=1
campaign=${CAMPAIGN:-3600} fuzz=${FUZZ:-300} seed=${SEED:-$(date -u +%Y%m%d)}
provoke=target/release/provoke
models=$(ls models/*.lus)

rows="" failed=0
step() {
    local name=$1 begin=$SECONDS result=passed
    shift
    echo "== $name: $*"
    "$@" || { result="**failed**" failed=1; }
    rows+="| $name | \`$*\` | $((SECONDS - begin)) s | $result |"$'\n'
}

step "release build" cargo build --release --bin provoke
step "campaign" make campaign SECONDS="$campaign" SEED="$seed"
step "fuzz targets" make fuzz FUZZ_SECONDS="$fuzz"
# Claims confirmed from outside, and runs that are killed and go on.
step "claims from outside" env PROVOKE=$provoke scripts/confirm.sh -b 60s $models
step "killed and resumed" env PROVOKE=$provoke scripts/kill-and-resume.sh -n 10 models/elevator.lus
step "benches" make bench

cat >docs/NIGHTLY.md <<PAGE
# The last nightly run

\`make nightly\` wrote this page: what takes longer than continuous integration may.

- date: $(date -u +%Y-%m-%d)
- commit: $(git rev-parse --short HEAD)$(git diff --quiet HEAD -- . ':!docs/NIGHTLY.md' || echo ", with changes")
- machine: $(nproc) cores
- result: $([ $failed = 0 ] && echo passed || echo failed)

| step | command | time | result |
|---|---|---|---|
$rows
PAGE
exit $failed
