#!/bin/sh
# What it costs to have others work: the same small run by threads, by local workers, by Slurm if it is there,
# and by a stand-in for HyperQueue. Usage: scripts/overhead.sh [PROVOKE] [MODEL]
set -eu
provoke=${1:-target/release/provoke}
model=${2:-models/microwave.lus}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
HQ_STAND_IN="$scratch/hq"
export HQ_STAND_IN
mkdir "$HQ_STAND_IN"
PATH="$(cd "$(dirname "$0")/../crates/cli/tests/support" && pwd):$PATH"

timed() {
    name=$1
    shift
    start=$(date +%s.%N)
    "$provoke" generate "$model" -c omcdc --method regular --effort 1 --jobs 2 -o "$scratch/$name" "$@" \
        > /dev/null 2> "$scratch/messages" || [ $? -eq 5 ] || { cat "$scratch/messages"; exit 1; }
    end=$(date +%s.%N)
    chunks=$(cat "$scratch/$name"/engine/plan-*.jsonl 2> /dev/null | wc -l)
    echo "$name $start $end $chunks" | awk '{ printf "%-14s %6.2f s  %4d chunks\n", $1, $3 - $2, $4 }'
    cmp "$scratch/threads/suite.json" "$scratch/$name/suite.json"
}

timed threads
timed local --workers local
if sinfo > /dev/null 2>&1; then
    timed slurm --workers slurm:tasks=2
fi
timed hq-stand-in --workers hq
