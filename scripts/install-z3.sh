#!/bin/sh
# Installs the Z3 that Provoke is tested with (requirements-z3.txt) for this user, without root:
# <data directory>/provoke/z3/<version>/libz3.so. Does nothing when it is there already.
set -eu

fail() {
    echo "install-z3: $1" >&2
    exit 4
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
requirements=$here/../requirements-z3.txt
version=$(sed -n 's/^z3-solver==\([0-9.]*\).*/\1/p' "$requirements")
[ -n "$version" ] || fail "no version of z3-solver in $requirements"

case ${XDG_DATA_HOME:-} in
/*) data=$XDG_DATA_HOME ;;
*)
    [ -n "${HOME:-}" ] || fail "neither XDG_DATA_HOME nor HOME is set"
    data=$HOME/.local/share
    ;;
esac
directory=$data/provoke/z3/$version
library=$directory/libz3.so

if [ -f "$library" ]; then
    echo "Z3 $version is installed: $library"
    exit 0
fi

platform=$(uname -s)-$(uname -m)
[ "$platform" = Linux-x86_64 ] ||
    fail "the pinned Z3 is for Linux-x86_64, this is $platform; install the system's library instead (Debian: sudo apt install libz3-4)"
command -v python3 >/dev/null ||
    fail "python3 is missing (Debian: sudo apt install python3 python3-pip)"
python3 -m pip --version >/dev/null 2>&1 ||
    fail "pip for python3 is missing (Debian: sudo apt install python3-pip)"

# In the target directory, so that the last step is a rename and never leaves half a library.
mkdir -p "$directory"
work=$(mktemp -d "$directory/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
    --requirement "$requirements" --dest "$work" ||
    fail "the download of z3-solver $version failed (see above); the system's library also works (Debian: sudo apt install libz3-4)"

python3 - "$work" <<'PYTHON'
import pathlib, sys, zipfile

work = pathlib.Path(sys.argv[1])
[wheel] = work.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    (work / "libz3.so").write_bytes(archive.read("z3/lib/libz3.so"))
PYTHON
chmod 755 "$work/libz3.so"
mv -f "$work/libz3.so" "$library"
echo "installed Z3 $version: $library"
