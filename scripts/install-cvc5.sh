#!/bin/sh
# Installs the cvc5 that `provoke audit` is tested with (requirements-cvc5.txt) for this user, without
# root: <data directory>/provoke/cvc5/<version>/libcvc5parser.so and the libraries that it needs.
# Does nothing when it is there already.
set -eu

fail() {
    echo "install-cvc5: $1" >&2
    exit 4
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
requirements=$here/../requirements-cvc5.txt
version=$(sed -n 's/^cvc5==\([0-9.]*\).*/\1/p' "$requirements")
[ -n "$version" ] || fail "no version of cvc5 in $requirements"

case ${XDG_DATA_HOME:-} in
/*) data=$XDG_DATA_HOME ;;
*)
    [ -n "${HOME:-}" ] || fail "neither XDG_DATA_HOME nor HOME is set"
    data=$HOME/.local/share
    ;;
esac
directory=$data/provoke/cvc5/$version
library=$directory/libcvc5parser.so

if [ -f "$library" ]; then
    echo "cvc5 $version is installed: $library"
    exit 0
fi

platform=$(uname -s)-$(uname -m)
[ "$platform" = Linux-x86_64 ] ||
    fail "the pinned cvc5 is for Linux-x86_64, this is $platform; proofs are then checked by Z3 alone"
command -v python3 >/dev/null ||
    fail "python3 is missing (Debian: sudo apt install python3 python3-pip)"
python3 -m pip --version >/dev/null 2>&1 ||
    fail "pip for python3 is missing (Debian: sudo apt install python3-pip)"

# Beside the target directory, so that the last step is a rename and never leaves half of them.
mkdir -p "$data/provoke/cvc5"
work=$(mktemp -d "$data/provoke/cvc5/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The wheel is for one Python, whichever runs here: its libraries need none.
python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
    --python-version 3.11 --implementation cp --abi cp311 --platform manylinux2014_x86_64 \
    --requirement "$requirements" --dest "$work" ||
    fail "the download of cvc5 $version failed (see above)"

python3 - "$work" <<'PYTHON'
import pathlib, sys, zipfile

work = pathlib.Path(sys.argv[1])
[wheel] = work.glob("*.whl")
libraries = work / "libraries"
libraries.mkdir()
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        path = pathlib.PurePosixPath(name)
        if path.parent == pathlib.PurePosixPath("cvc5.libs") and ".so" in path.name:
            (libraries / path.name).write_bytes(archive.read(name))
[parser] = libraries.glob("libcvc5parser-*")
(libraries / "libcvc5parser.so").symlink_to(parser.name)
PYTHON
chmod 755 "$work/libraries" "$work/libraries"/*
rm -rf "$directory"
mv "$work/libraries" "$directory"
echo "installed cvc5 $version: $library"
