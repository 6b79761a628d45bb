"""`python -m tests.fuzz.child READER SEED FIRST COUNT FOLDER`: opens made files, one by one.

Prints a line of JSON for each: its number, what became of it, what is wrong with that if anything
is, how many seconds of the processor it took, and how many bytes of memory beside what the process
had before. The process ends itself, with every thread's stack, when one takes too long.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path
from random import Random

from tests.fuzz.mutations import damaged
from tests.fuzz.readers import READERS, File, Reader

SECONDS = 30
"""Of the processor, which opening one file may take."""
CLOCK_SECONDS = 20 * SECONDS
"""By the clock, which opening one file may take: other processes run too."""
STARTED = "whole files are read"
"""Stands on standard error before the first damaged one."""
MEMORY = 2 << 30
"""Bytes that opening one file may take beside what the process had before."""


def main(name: str, seed: str, first: str, count: str, folder: str) -> None:
    """Open so many files."""
    reader = READERS[name]
    valid = reader.make()
    warnings.simplefilter("error")
    files, scratch = Path(folder) / "files", Path(folder) / "scratch"
    files.mkdir()
    scratch.mkdir()
    tempfile.tempdir = str(scratch)
    for number, file in enumerate(valid):  # whole files are read, and what that loads is loaded
        reader.open(_written(files, number, file), 0)
    _clear(files)
    _limit_memory()
    threads = threading.active_count()
    print(STARTED, file=sys.stderr, flush=True)
    for number in range(int(first), int(first) + int(count)):
        path = _written(files, number, input_of(name, int(seed), number, valid))
        before = _reset_peak()
        faulthandler.dump_traceback_later(CLOCK_SECONDS, exit=True)
        began = time.process_time()
        became, wrong = _opened(reader, path, number)
        spent = time.process_time() - began
        faulthandler.cancel_dump_traceback_later()
        taken = max(0, _memory("VmHWM") - before)
        if spent > SECONDS:
            wrong = wrong or f"it takes more than {SECONDS} s"
        wrong = wrong or _left(scratch, threads)
        print(json.dumps([number, became, wrong, spent, taken]), flush=True)
        _clear(files)


def input_of(name: str, seed: int, number: int, valid: list[File]) -> File:
    """Return the file of a number: the same one for the same seed.

    Where a reader's format is known, most files are made by its structure; bytes of others are
    damaged.
    """
    random = Random(f"{name} {seed} {number}")
    structured = READERS[name].structured
    if structured is not None and random.random() < READERS[name].share:
        return structured(random, number)
    suffix, data = random.choice(valid)
    return suffix, damaged(data, [other for _, other in valid], random)


def _left(scratch: Path, threads: int) -> str:
    """Return what opening a file has left behind; nothing if all is as before."""
    files = [path.name for path in scratch.iterdir()]
    if files:
        _clear(scratch)
        return f"it left temporary files: {files}"
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    if children:
        return f"it left processes: {children}"
    end = time.monotonic() + 2.0  # a thread of who listens may be about to end
    while threading.active_count() > threads and time.monotonic() < end:
        time.sleep(0.01)
    if threading.active_count() > threads:
        return f"it left threads: {threading.enumerate()}"
    return ""


def _clear(folder: Path) -> None:
    for left in folder.iterdir():
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink()


def _reset_peak() -> int:
    """Let the process's peak of memory begin at what it has now; return that, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(what: str) -> int:
    """Return this process's memory by the system's account, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


def _written(folder: Path, number: int, file: File) -> Path:
    path = folder / f"{number}{file[0]}"
    path.write_bytes(file[1])
    return path


def _opened(reader: Reader, path: Path, number: int) -> tuple[str, str]:
    """Return the result of a file, and why it is a failure; nothing if it is not."""
    try:
        reader.open(path, number)
    except reader.refused as error:
        return "refused", _wrong(error, path)
    except BaseException:
        return "failed", traceback.format_exc()
    return "accepted", ""


def _wrong(error: BaseException, path: Path) -> str:
    """Return the fault of a refusal, which must be one line with the file's name and cheap."""
    text = str(error)
    if "\n" in text or len(text) > 2000:
        return f"the error is not one line: {text[:3000]!r}"
    if path.name.split(".")[0] not in text:
        return f"the error does not name the file: {text}"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return f"it takes more than {MEMORY >> 30} GB: {text}"
        cause = cause.__cause__ or cause.__context__
    return ""


def _limit_memory() -> None:
    has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has + MEMORY, has + MEMORY))


if __name__ == "__main__":
    main(*sys.argv[1:])
