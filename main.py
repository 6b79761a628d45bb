"""Bubblescope: `python main.py` opens the window; `python main.py --help` lists the commands."""

from __future__ import annotations

import os
import signal
import sys

if __name__ == "__main__":
    # Until there is something to clean up, a signal just ends the process: imports take a while.
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    # Python leaves the script's folder out where PYTHONSAFEPATH is set, and with -P.
    home = os.path.dirname(os.path.realpath(__file__))
    if home not in sys.path:
        sys.path.insert(0, home)

from bubblescope.cli.start import main
from bubblescope.cli.streams import flushed, open_streams

if __name__ == "__main__":
    open_streams()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main(sys.argv[1:])
    except SystemExit as ended:  # help and version, and arguments that the parser refuses
        status = int(ended.code or 0)
    sys.exit(flushed(status))
