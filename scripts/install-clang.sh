#!/bin/sh
# clang with MC/DC, for measuring mined C programs and for the tests of that.
# Needs Debian and root; without them it says so.
packages="clang-19 llvm-19 libclang-rt-19-dev"
if command -v clang-19 >/dev/null && command -v llvm-cov-19 >/dev/null && command -v llvm-profdata-19 >/dev/null &&
    [ -e "$(clang-19 -print-resource-dir)/lib/linux/libclang_rt.profile-x86_64.a" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "clang: not installed; as root on Debian: apt-get install $packages" >&2
    exit 0
fi
apt-get install -y --no-install-recommends $packages >/dev/null 2>&1 ||
    { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends $packages >/dev/null 2>&1; } ||
    echo "clang: apt-get install $packages failed" >&2
