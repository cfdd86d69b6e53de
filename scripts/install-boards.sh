#!/bin/sh
# Simulated boards for the tests of generated code: qemu with an ARM compiler, simavr with an AVR one.
# Needs Debian and root; without them it says so, and the tests that need the boards are skipped.
packages="qemu-system-arm gcc-arm-none-eabi gcc-avr avr-libc libsimavr-dev libelf-dev"
if command -v qemu-system-arm >/dev/null && command -v arm-none-eabi-gcc >/dev/null &&
    command -v avr-gcc >/dev/null && [ -e /usr/include/simavr/sim_avr.h ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "boards: not installed; as root on Debian: apt-get install $packages" >&2
    exit 0
fi
apt-get install -y --no-install-recommends $packages >/dev/null 2>&1 ||
    { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends $packages >/dev/null 2>&1; } ||
    echo "boards: apt-get install $packages failed; tests on boards are skipped" >&2
