#!/bin/sh
# clang with MC/DC, for measuring mined C programs and for the tests of that.
if command -v clang-19 >/dev/null && command -v llvm-cov-19 >/dev/null && command -v llvm-profdata-19 >/dev/null &&
    [ -e "$(clang-19 -print-resource-dir)/lib/linux/libclang_rt.profile-x86_64.a" ]; then
    exit 0
fi
exec "$(dirname "$0")/debian-packages.sh" clang clang-19 llvm-19 libclang-rt-19-dev
