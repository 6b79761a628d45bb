#!/bin/sh
# Makes .venv with everything that Bubblescope needs, and the system's parts where it may.
# A second call finds the stamp and does nothing. Messages go to standard error, so that
# standard output stays the app's own.
#
#   PYTHON       the interpreter to use (default: the first of python3, python3.14, ... from 3.11)
#   TORCH_INDEX  the wheel index that torch comes from (default: pip's); remembered in .venv,
#                and an empty value forgets it

set -eu
exec 1>&2
cd "$(dirname "$0")/.."

stamp=.venv/setup-stamp
unfinished=.venv/setup-unfinished
torch_index_file=.venv/torch-index

say() { echo "setup: $*"; }

refuse() {
    say "$*"
    exit 2
}

# What the set-up depends on. The folder is part of it: the package is installed in place.
key() {
    {
        pwd
        "$1" -I -S -c 'import sys; print(sys.version)'
        echo "$2"
        cat pyproject.toml constraints.txt
    } | cksum
}

remembered_index=$(cat "$torch_index_file" 2>/dev/null || true)
torch_index=${TORCH_INDEX-$remembered_index}

if [ -f "$stamp" ] && [ -z "${PYTHON-}" ] &&
    [ "$(key .venv/bin/python "$torch_index" 2>/dev/null)" = "$(cat "$stamp")" ]; then
    exit 0
fi

# ---- Python ----

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

no_python() {
    if [ -n "${PYTHON-}" ]; then
        refuse "PYTHON=$PYTHON is no Python 3.11 or newer"
    fi
    found=$(python3 --version 2>/dev/null) || found="none"
    refuse "Bubblescope needs Python 3.11 or newer; found: $found. Install one (packages such as" \
        "python3.11 and python3.11-venv); if it has another name, give it as PYTHON=..."
}

# ---- The system's parts: Debian's and Ubuntu's packages, each with the library that shows it ----

# What PySide6-Essentials links to for its xcb and offscreen platforms and does not bring itself.
qt_parts='
libEGL.so.1 libegl1
libGL.so.1 libgl1
libX11.so.6 libx11-6
libX11-xcb.so.1 libx11-xcb1
libdbus-1.so.3 libdbus-1-3
libfontconfig.so.1 libfontconfig1
libfreetype.so.6 libfreetype6
libglib-2.0.so.0 libglib2.0-0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-image.so.0 libxcb-image0
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-randr.so.0 libxcb-randr0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-render.so.0 libxcb-render0
libxcb-shape.so.0 libxcb-shape0
libxcb-shm.so.0 libxcb-shm0
libxcb-sync.so.1 libxcb-sync1
libxcb-util.so.1 libxcb-util1
libxcb-xfixes.so.0 libxcb-xfixes0
libxcb-xkb.so.1 libxcb-xkb1
libxcb.so.1 libxcb1
libxkbcommon-x11.so.0 libxkbcommon-x11-0
libxkbcommon.so.0 libxkbcommon0
libz.so.1 zlib1g
libzstd.so.1 libzstd1
'

in_library_path() {
    ( # a subshell, for IFS
        IFS=:
        for folder in ${LD_LIBRARY_PATH-}; do
            if [ -e "$folder/$1" ]; then exit 0; fi
        done
        exit 1
    )
}

has_font() {
    if [ -n "$(fc-list 2>/dev/null | head -n 1)" ]; then return 0; fi
    [ -n "$(find -L /usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" \
        "$HOME/.local/share/fonts" -name '*.[ot]t[fc]' 2>/dev/null | head -n 1)" ]
}

missing_parts() {
    if [ -z "$python" ]; then
        echo python3 python3-venv
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        "$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
    fi
    if [ "$(uname -s)" != Linux ]; then return; fi
    # The linker's own list; where there is none (NixOS, musl), these names mean nothing.
    known=$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null) || known=
    if [ -n "$known" ]; then
        echo "$qt_parts" | while read -r library package; do
            case "$known" in
            *"	$library "*) ;;
            *) if [ -n "$library" ] && ! in_library_path "$library"; then echo "$package"; fi ;;
            esac
        done
    fi
    if ! has_font; then echo fonts-dejavu-core; fi
}

python=$(find_python)
if [ -z "$python" ] && { [ -n "${PYTHON-}" ] || command -v python3 >/dev/null; }; then
    no_python
fi

parts=$(missing_parts | tr '\n' ' ')
parts=${parts% }
if [ -n "$parts" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        refuse "system packages are missing; on Debian or Ubuntu, as root: apt-get install $parts"
    fi
    say "installing missing system packages: $parts"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq || say "apt-get update failed; going on with the package lists there are"
    # shellcheck disable=SC2086 # the parts are words
    apt-get install -qq -y --no-install-recommends $parts ||
        refuse "apt-get could not install: $parts"
fi
if [ -z "$python" ]; then
    python=$(find_python)
    if [ -z "$python" ]; then no_python; fi
fi

# ---- The virtual environment ----

if [ -n "${PYTHON-}" ]; then
    if [ -f "$stamp" ] && [ "$(key "$python" "$torch_index")" = "$(cat "$stamp")" ]; then
        exit 0
    fi
    if [ "$("$python" -c 'import sys; print(sys.version)')" != \
        "$(.venv/bin/python -c 'import sys; print(sys.version)' 2>/dev/null)" ]; then
        anew=yes
    fi
fi

begin() {
    mkdir -p .venv
    touch "$unfinished"
    rm -f "$stamp"
}

trap 'exit 130' INT
trap 'exit 143' TERM

# Killed half-way, pip may leave a package that looks whole: then everything is made anew.
if [ -n "${anew-}" ] || [ -e "$unfinished" ] ||
    ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    say "making .venv with $("$python" --version)"
    begin
    find .venv -mindepth 1 -maxdepth 1 ! -name "${unfinished#.venv/}" -exec rm -rf {} +
    "$python" -m venv .venv
    remembered_index=
fi
begin

install() {
    if ! .venv/bin/python -m pip install --no-input --disable-pip-version-check \
        -c constraints.txt "$@"; then
        rm -f "$unfinished" # pip failed by itself, and left things as they were
        refuse "pip could not install $* (its message is above); nothing was marked as done"
    fi
}

say "installing the pinned packages (torch is large: the first time takes minutes)"
if [ "$torch_index" != "$remembered_index" ]; then
    # torch alone: such an index holds few releases of what torch needs.
    if [ -n "$torch_index" ]; then
        install --force-reinstall --no-deps --index-url "$torch_index" torch
    else
        install --force-reinstall --no-deps torch
    fi
    echo "$torch_index" >"$torch_index_file"
fi
install setuptools
install --no-build-isolation -e '.[test,lint,docs]'
.venv/bin/python -m compileall -q bubblescope core gui main.py  # the first window comes up as soon as the next

key .venv/bin/python "$torch_index" >"$unfinished"
mv "$unfinished" "$stamp"
say "done"
