#!/bin/sh
# Installs packages for tests that need more than the compiler:
#   debian-packages.sh WHAT PACKAGE...
# Needs Debian and root; without them, or when it fails, it says what to type and exits with 1.
what=$1
shift
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "$what: not installed; as root on Debian: apt-get install $*" >&2
    exit 1
fi
echo "$what: apt-get install $*" >&2
install() {
    # A network that does not answer is no reason to wait for ever.
    timeout 600 apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1
}
install "$@" ||
    { timeout 120 apt-get update >/dev/null 2>&1 && install "$@"; } ||
    { echo "$what: apt-get install $* failed" >&2; exit 1; }
