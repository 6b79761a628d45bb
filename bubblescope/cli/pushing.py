"""The command `push`: installs this Bubblescope on another machine."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

from core.engine.remote import FOLDER
from core.plain import plain, say
from core.process.remote_programs import run_there
from core.process.ssh import checked_host
from core.process.wheel import WHEEL, make_wheel

PYTHONS = ("python3", "python3.14", "python3.13", "python3.12", "python3.11")
NEW_ENOUGH = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
NO_PYTHON = "there is no Python 3.11 or newer with venv; name one with --python"
PIP = "-m pip --disable-pip-version-check --no-cache-dir --quiet install"


def push(arguments: argparse.Namespace) -> None:
    """Install the wheel on a host, in a separate venv, and print the version there.

    Raises PlanError for an invalid host name, and OSError in one line if the installation fails.
    """
    host = checked_host("push", arguments.host)
    with tempfile.TemporaryDirectory() as folder:
        data = make_wheel(Path(folder)).read_bytes()
    say(f"installing on {host}: this takes minutes if torch is not there yet", sys.stderr)
    printed = run_there(host, install_script(arguments.python, len(data)), data)
    last = printed.strip().rpartition("\n")[2]
    say(f"{host}: {plain(last)}, in ~/{FOLDER}")


def install_script(python: str | None, size: int) -> str:
    """Return the `sh` script that installs the wheel, which is the first `size` bytes of its input.

    When its input ends, the script ends, and so do all programs that it has started. If `python` is
    given, its own packages, such as torch, are used where they are new enough.
    """
    names = PYTHONS if python is None else (python,)
    option = "" if python is None else "--system-site-packages "
    has_pip = '"$folder/venv/bin/python" -m pip --version >/dev/null 2>&1'
    keep = has_pip if python is None else "false"
    lines = [
        "set -e",
        f'folder="$HOME/{FOLDER}"',
        'mkdir -p "$folder"',
        f'wheel="$folder/{WHEEL}"',
        """trap 'rm -f "$wheel"' EXIT""",
        "trap 'exit 1' HUP INT TERM",
        "exec 3<&0",  # a program in the background would get no standard input otherwise
        f'head -c {size} <&3 > "$wheel"',
        # sshd starts the script in a separate process group, to which 0 refers.
        "(cat <&3 >/dev/null; kill -TERM 0) >/dev/null 2>&1 &",
        "python=",
        f"for name in {shlex.join(names)}; do "
        f'if "$name" -c {shlex.quote(NEW_ENOUGH)} 2>/dev/null; then python="$name"; break; fi; '
        "done",
        f'if [ -z "$python" ]; then echo {shlex.quote(NO_PYTHON)} >&2; exit 1; fi',
        # A venv of an earlier push is kept, unless a Python is named or the venv has no pip.
        f'{keep} || "$python" -m venv --clear {option}"$folder/venv" >&2',
        # Reinstall the package itself first, because pip would keep one of the same version.
        f'"$folder/venv/bin/python" {PIP} --no-deps --force-reinstall "$wheel" >&2',
        f'"$folder/venv/bin/python" {PIP} "$wheel" >&2',
        '"$folder/venv/bin/bubblescope" --version',
    ]
    return "\n".join(lines)
