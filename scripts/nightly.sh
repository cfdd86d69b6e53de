#!/usr/bin/env bash
# What takes longer than continuous integration may, one step after the other; what ran and how it ended is
# written to docs/NIGHTLY.md: nightly.sh [campaign|numbers|fuzz|confirm|resume|bench]...
# CAMPAIGN and FUZZ are seconds, NUMBERS are systems, SEED is that of the campaign and of the systems.
set -uo pipefail
cd "$(dirname "$0")/.."
export PROVOKE_REQUIRE_SHARED=1 PROVOKE=target/debug/provoke
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(campaign numbers fuzz confirm resume bench)
models=(models/*.lus)

rows="" result=passed
step() {
    local begin=$SECONDS ended=passed
    echo "== $*"
    "$@" || ended=FAILED result=FAILED
    rows+="| \`$*\` | $((SECONDS - begin)) s | $ended |"$'\n'
}

cargo build --workspace --quiet --bin provoke || exit 1
for name in "${steps[@]}"; do
    case $name in
    campaign) step make campaign "SECONDS=${CAMPAIGN:-3600}" "SEED=${SEED:-$(date -u +%Y%m%d)}" ;;
    numbers) step make numbers "SYSTEMS=${NUMBERS:-100000}" "SEED=${SEED:-$(date -u +%Y%m%d)}" ;;
    fuzz) step make fuzz "FUZZ_SECONDS=${FUZZ:-300}" ;;
    # Claims that are confirmed from outside, and runs that are killed again and again.
    confirm) step scripts/confirm.sh -b 60s "${models[@]}" ;;
    resume) step scripts/kill-and-resume.sh -n 10 models/elevator.lus ;;
    bench) step make bench ;;
    *) echo "nightly.sh: no step is called $name" >&2; exit 2 ;;
    esac
done

commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- . ':!docs/NIGHTLY.md' || commit+=", with changes"
cat >docs/NIGHTLY.md <<PAGE
# The last nightly run

\`make nightly\` wrote this page: the checks that take too long for continuous integration.

- date: $(date -u +%Y-%m-%d)
- commit: $commit
- machine: $(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg) at the end
- result: $result

| command | time | result |
|---|---|---|
$rows
PAGE
[ "$result" = passed ]
