#!/bin/sh
# Chromium and its driver, for the tests that open reports in a real browser.
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    exit 0
fi
exec "$(dirname "$0")/debian-packages.sh" browser chromium chromium-driver fonts-dejavu-core
