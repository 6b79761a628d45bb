"""Runs fuzzers in processes of their own, goes on where it stopped, and keeps what fails.

`python -m tests.fuzz.drive [READER ...] [--count N] [--seed N] [--folder FOLDER]`, or `make fuzz`
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.paths import PROJECT_ROOT
from tests.fuzz.child import SECONDS, STARTED, input_of
from tests.fuzz.readers import READERS

COUNT = 3_000
BATCH = 500
"""Files that one process opens at most."""
START_SECONDS = 100
CHILD = ("-m", "tests.fuzz.child")


@dataclass
class Found:
    """Progress of a fuzzer: the results of the files, and the numbers that failed with the reasons.

    `slowest` is the longest time of the processor that one took, in seconds, and `largest` the
    most memory, in bytes.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: dict[int, str] = field(default_factory=dict)
    slowest: float = 0.0
    largest: int = 0

    @property
    def opened(self) -> int:
        """Number of files that were opened."""
        return sum(self.counts.values())

    def add(
        self, number: int, became: str, wrong: str, seconds: float = 0.0, memory: int = 0
    ) -> None:
        """Note a file."""
        self.slowest = max(self.slowest, seconds)
        self.largest = max(self.largest, memory)
        self.counts["failed" if wrong else became] += 1
        if wrong:
            self.failures[number] = wrong


def fuzz(name: str, seed: int, first: int, count: int, program: Sequence[str] = CHILD) -> Found:
    """Open `count` damaged files from number `first` on; one that ends its process has failed.

    `program` is what Python runs to open them.
    """
    found = Found()
    while found.opened < count:
        left = count - found.opened
        given = [name, str(seed), str(first + found.opened), str(min(left, BATCH))]
        _batch([*program, *given], first + found.opened, min(left, BATCH), found)
    return found


def _batch(words: list[str], first: int, count: int, found: Found) -> None:
    """Open files in a process, up to the one that ends it if one does."""
    with tempfile.TemporaryDirectory() as folder:
        done = _run([*words, folder], START_SECONDS + count * SECONDS)
    before = found.opened
    for line in done.stdout.splitlines():
        found.add(*json.loads(line))
    opened = found.opened - before
    if opened < count:
        if STARTED not in done.stderr:
            raise RuntimeError(f"the fuzzer does not start: {done.stderr}")
        how = f"it ended the process with status {done.returncode}"
        found.add(first + opened, "failed", f"{how}\n{done.stderr[-4000:]}")


def _run(words: list[str], seconds: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=seconds,
        stdin=subprocess.DEVNULL, check=False, env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)},
    )  # fmt: skip


def go_on(name: str, seed: int, count: int, folder: Path) -> Found:
    """Fuzz a reader up to `count` files, keeping in a folder how far it came and what failed."""
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / f"{name}-{seed}.json"
    kept = json.loads(state.read_text()) if state.exists() else {"counts": {}, "failures": {}}
    failures = {int(n): why for n, why in kept["failures"].items()}
    most = kept.get("slowest", 0.0), kept.get("largest", 0)
    found = Found(Counter(kept["counts"]), failures, *most)
    valid = READERS[name].make()
    while found.opened < count:
        more = fuzz(name, seed, found.opened, min(BATCH, count - found.opened))
        found.counts += more.counts
        found.failures |= more.failures
        found.slowest = max(found.slowest, more.slowest)
        found.largest = max(found.largest, more.largest)
        for number in more.failures:
            suffix, data = input_of(name, seed, number, valid)
            (folder / f"{name}-{seed}-{number}{suffix}").write_bytes(data)
        values = {**vars(found)}
        state.write_text(json.dumps(values, indent=1))
        print(f"{name}, seed {seed}: {_told(found)}", flush=True)
    return found


def _told(found: Found) -> str:
    counts = ", ".join(f"{count:,} {became}" for became, count in sorted(found.counts.items()))
    most = f"at most {found.slowest:.2f} s and {found.largest >> 20:,} MB"
    return f"{found.opened:,} files, {counts}; one took {most}"


def main() -> int:
    """Fuzz the readers that are named, or all."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=PROJECT_ROOT / "build" / "fuzz")
    given = parser.parse_args()
    failed = 0
    for name in given.readers or READERS:
        found = go_on(name, given.seed, given.count, given.folder)
        failed += len(found.failures)
        for number, why in sorted(found.failures.items())[:20]:
            print(f"{name} {number}: {why.strip().splitlines()[-1]}")
    print(f"{failed} failures; the files are in {given.folder}" if failed else "no failure")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
