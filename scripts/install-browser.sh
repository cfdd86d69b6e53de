#!/bin/sh
# Chromium and its driver, for the tests that open reports in a real browser.
# Needs Debian and root; without them it says so, and those tests fail.
packages="chromium chromium-driver fonts-dejavu-core"
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "browser: not installed; as root on Debian: apt-get install $packages" >&2
    exit 1
fi
apt-get install -y --no-install-recommends $packages >/dev/null 2>&1 ||
    { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends $packages >/dev/null 2>&1; } ||
    { echo "browser: apt-get install $packages failed" >&2; exit 1; }
