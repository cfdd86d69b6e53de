#!/bin/sh
# Installs the JSON Schema validator that results are tested with (requirements-jsonschema.txt) into a virtual
# environment of its own, target/jsonschema. Does nothing when it is there already.
set -eu

fail() {
    echo "install-jsonschema: $1" >&2
    exit 4
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
requirements=$here/../requirements-jsonschema.txt
version=$(sed -n 's/^jsonschema==\([0-9.]*\).*/\1/p' "$requirements")
[ -n "$version" ] || fail "no version of jsonschema in $requirements"
directory=$here/../target/jsonschema
python=$directory/bin/python

# What is installed is asked for without the warnings of newer Pythons.
installed() {
    "$python" -W ignore -c "import importlib.metadata as m; assert m.version('jsonschema') == '$version'" 2>/dev/null
}

if installed; then
    echo "jsonschema $version is installed: $directory"
    exit 0
fi

command -v python3 >/dev/null ||
    fail "python3 is missing (Debian: sudo apt install python3 python3-venv)"

# Beside its place, so that the last step is a rename and never leaves half of it.
mkdir -p "$here/../target"
work=$(mktemp -d "$here/../target/jsonschema.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

python3 -m venv "$work/venv" >/dev/null ||
    fail "python3 has no venv (Debian: sudo apt install python3-venv)"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes --requirement "$requirements" ||
    fail "the download of jsonschema $version failed (see above)"
rm -rf "$directory"
mv "$work/venv" "$directory"
installed || fail "jsonschema $version was installed, but cannot be loaded"
echo "installed jsonschema $version: $directory"
