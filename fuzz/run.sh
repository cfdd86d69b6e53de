#!/usr/bin/env bash
# Runs fuzz targets: fuzz/run.sh [SECONDS] [TARGET...]. Stable Rust suffices: libFuzzer comes
# with its crate, and coverage instrumentation is an ordinary code-generation option.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(bytes tokens programs suites timed labels)
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# A target triple keeps the instrumentation away from build scripts.
triple=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --quiet --target "$triple" "${targets[@]/#/--bin=}"
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target"
  if [ "$target" = bytes ]; then cp -n ../testdata/*/*.lus ../models/*.lus "corpus/$target" 2>/dev/null || true; fi
  if [ "$target" = timed ]; then cp -n ../models/timed/*.xml "corpus/$target" 2>/dev/null || true; fi
  echo "== $target, $seconds s"
  "target/$triple/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=20000 -print_final_stats=1 -verbosity=0 "corpus/$target"
done
