"""`python -m tests.fuzz.child READER SEED FIRST COUNT FOLDER`: opens damaged files, one by one.

Prints a line of JSON for each: its number, what became of it, what is wrong with that if anything
is, and how many seconds of the processor it took. The process ends itself, with every thread's
stack, when one takes too long.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path
from random import Random

from tests.fuzz.mutations import damaged
from tests.fuzz.readers import READERS, File, Reader

SECONDS = 10
STARTED = "whole files are read"
"""Stands on standard error before the first damaged one."""
MEMORY = 2 << 30
"""Bytes that opening one file may take beside what the process had before."""


def main(name: str, seed: str, first: str, count: str, folder: str) -> None:
    """Open so many files."""
    reader = READERS[name]
    valid = reader.make()
    warnings.simplefilter("error")
    for number, file in enumerate(valid):  # whole files are read, and what that loads is loaded
        reader.open(_written(Path(folder), number, file), 0)
    _limit_memory()
    print(STARTED, file=sys.stderr, flush=True)
    for number in range(int(first), int(first) + int(count)):
        path = _written(Path(folder), number, input_of(name, int(seed), number, valid))
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        began = time.process_time()
        became, wrong = _opened(reader, path, number)
        spent = time.process_time() - began
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps([number, became, wrong, spent]), flush=True)
        for left in Path(folder).iterdir():
            left.unlink()


def input_of(name: str, seed: int, number: int, valid: list[File]) -> File:
    """The damaged file of a number: the same one for the same seed."""
    random = Random(f"{name} {seed} {number}")
    suffix, data = random.choice(valid)
    return suffix, damaged(data, [other for _, other in valid], random)


def _written(folder: Path, number: int, file: File) -> Path:
    path = folder / f"{number}{file[0]}"
    path.write_bytes(file[1])
    return path


def _opened(reader: Reader, path: Path, number: int) -> tuple[str, str]:
    """What became of a file, and why that is a failure; nothing if it is none."""
    try:
        reader.open(path, number)
    except reader.refused as error:
        return "refused", _wrong(error, path)
    except BaseException:
        return "failed", traceback.format_exc()
    return "accepted", ""


def _wrong(error: BaseException, path: Path) -> str:
    """What is wrong with a refusal: it is one line that names the file, and costs no memory."""
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
