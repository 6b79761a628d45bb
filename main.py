"""Bubblescope: `python main.py` opens the window; `python main.py --help` lists the commands."""

from __future__ import annotations

import os
import signal
import sys

if __name__ == "__main__":
    # A signal during the imports, which take a while, ends the process at once.
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    # With PYTHONSAFEPATH or -P, Python does not add the script's folder.
    home = os.path.dirname(os.path.realpath(__file__))
    if home not in sys.path:
        sys.path.insert(0, home)

from bubblescope.cli.start import run_arguments
from bubblescope.cli.streams import flushed, open_streams

if __name__ == "__main__":
    open_streams()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = run_arguments(sys.argv[1:])
    except SystemExit as ended:  # help and version, and arguments that the parser refuses
        status = int(ended.code or 0)
    sys.exit(flushed(status))
