#!/bin/sh
# Slurm and munge, for the tests that start a cluster of one node on this machine.
if command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null; then
    exit 0
fi
exec "$(dirname "$0")/debian-packages.sh" slurm slurm-wlm munge
