#!/usr/bin/env bash
# Runs fuzz targets: fuzz/run.sh [SECONDS] [TARGET...]. Stable Rust suffices: libFuzzer comes
# with its crate, and coverage instrumentation is an ordinary code-generation option.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] ||
  targets=(bytes tokens programs suites timed labels records targets protocol replies certificates)
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# A target triple keeps the instrumentation away from build scripts.
triple=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --quiet --target "$triple" "${targets[@]/#/--bin=}"

# What a target begins with: files of ours of its kind, and those below seeds.
seed() {
  mkdir -p "corpus/$1"
  [ ! -d "seeds/$1" ] || cp -n "seeds/$1"/* "corpus/$1" 2>/dev/null || true
  case $1 in
  bytes) cp -n ../testdata/*/*.lus ../models/*.lus "corpus/$1" 2>/dev/null || true ;;
  timed) cp -n ../models/timed/*.xml "corpus/$1" 2>/dev/null || true ;;
  targets) cp -n ../models/c/*.toml "corpus/$1" 2>/dev/null || true ;;
  # The first byte says which format a suite is in; all of them are tried.
  suites)
    for trace in gate voter reals; do
      for format in 0 1 2 3; do
        { printf '%b' "\\00$format"; cat "../testdata/golden/$trace.csv"; } >"corpus/$1/$trace-$format"
      done
    done
    ;;
  esac
}

for target in "${targets[@]}"; do
  seed "$target"
  echo "== $target, $seconds s"
  "target/$triple/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=20000 -print_final_stats=1 -verbosity=0 "corpus/$target"
done
