#!/bin/sh
# Simulated boards for the tests of generated code: qemu with an ARM compiler, simavr with an AVR one.
if command -v qemu-system-arm >/dev/null && command -v arm-none-eabi-gcc >/dev/null &&
    command -v avr-gcc >/dev/null && [ -e /usr/include/simavr/sim_avr.h ]; then
    exit 0
fi
exec "$(dirname "$0")/debian-packages.sh" boards \
    qemu-system-arm gcc-arm-none-eabi gcc-avr avr-libc libsimavr-dev libelf-dev
