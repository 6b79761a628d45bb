"""Making a recording's index in a process of its own, so that a window goes on meanwhile.

`python -m core.recording.index_process PATH` makes it, and prints how much
is done, and of how much, in lines.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from core.process.spawn import environment
from core.recording.index import Progress, build_index, tell

LOOK_SECONDS = 0.05  # between two questions whether to go on, and between two lines


def build_apart(path: Path | str, progress: Progress | None) -> None:
    """Make a recording's index in another process. Raises OSError if it could not be made.

    `progress` is asked many times a second, in this thread. Raises Cancelled if it returns False;
    nothing is left of the process and its index then.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "core.recording.index_process", str(path)],
        env=environment(), bufsize=0,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        process_group=0,
    )  # fmt: skip
    assert process.stdout is not None
    wire, told, done, total = process.stdout.fileno(), b"", 0, 1
    try:
        while True:
            if select.select([wire], [], [], LOOK_SECONDS)[0]:
                data = os.read(wire, 4096)
                if not data:
                    break
                *lines, told = (told + data).split(b"\n")
                if lines:
                    done, total = map(int, lines[-1].split())
            tell(progress, done, total)
        if process.wait() != 0:
            raise OSError("it could not be made")
    finally:
        process.terminate()  # it removes what it has not finished
        process.wait()
        process.stdout.close()


def main() -> int:
    """Make the index that the command line names; ends when nobody reads the lines any more."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    last = 0.0

    def say(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= LOOK_SECONDS:
            last = time.monotonic()
            os.write(sys.stdout.fileno(), b"%d %d\n" % (done, total))

    build_index(sys.argv[1], say)
    return 0


if __name__ == "__main__":
    sys.exit(main())
