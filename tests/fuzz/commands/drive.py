"""Runs drawn command lines, goes on where it stopped, and keeps what is wrong.

    python -m tests.fuzz.commands.drive [--runs N] [--seed N] [--folder FOLDER] [--only NUMBER]

or `make fuzz`. Each command line finds a new copy of the same folder, as its own user's whose home
and temporary folder are next to it. Command line n is drawn from the seed and n alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.paths import PROJECT_ROOT
from tests.fuzz.commands.files import empty, fill, listing
from tests.fuzz.commands.grammar import Invocation, commands, draw
from tests.fuzz.commands.oracle import wrongs

RUNS = 3000
NO_OVERRIDE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Has root meet files that it may not read, as anybody else does."""
REMOVED = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "PYTHONPATH", "PYTHONSAFEPATH",
           "PYTHONUNBUFFERED", "COLUMNS")  # fmt: skip


class Zygote:
    """The process that runs command lines, see zygote.py; it ends with `close`."""

    def __init__(self) -> None:
        environment = {name: text for name, text in os.environ.items() if name not in REMOVED}
        before = NO_OVERRIDE if os.geteuid() == 0 and shutil.which(NO_OVERRIDE[0]) else []
        self._process = subprocess.Popen(
            [*before, sys.executable, "-P", "-m", "tests.fuzz.commands.zygote"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
            env={**environment, "PYTHONPATH": str(PROJECT_ROOT)},
        )  # fmt: skip

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        """Run a command line; what became of it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the process that runs command lines has ended")
        told: dict[str, Any] = json.loads(answer)
        return told

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


class Fuzzer:
    """Runs command lines in copies of one folder, which `folder` is for."""

    def __init__(self, folder: Path) -> None:
        self._pristine, self._place = folder / "pristine", folder / "place"
        self._pristine.mkdir()
        fill(self._pristine)
        self._zygote = Zygote()

    def run(self, made: Invocation) -> dict[str, Any]:
        """Run a command line; all that is known of it, with what is wrong as `wrong`."""
        place = self._place
        for name in ("home", "tmp"):
            (place / name).mkdir(parents=True)
        # cp keeps hard links, sockets and pipes.
        subprocess.run(["cp", "-a", self._pristine, place / "work"], check=True)
        before = listing(place)
        answer = self._zygote.run(self._task(made))
        errors = (place / "err").read_bytes().decode(errors="surrogateescape")
        for stream in ("out", "err"):
            (place / stream).unlink(missing_ok=True)
        after = {name: told for name, told in listing(place).items() if not _is_known(name)}
        found = wrongs(made, answer, errors, before, after)
        empty(place / "work")
        shutil.rmtree(place)
        return {**answer, "errors": errors[-3000:], "wrong": found}

    def _task(self, made: Invocation) -> dict[str, Any]:
        place = self._place
        streams = {"stdin": made.stdin, "stdout": made.stdout, "stderr": str(place / "err")}
        if made.stdout == "out":
            streams["stdout"] = str(place / "out")
        environment = {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp")}
        return {
            "words": made.words,
            "folder": str(place / "work"), "entry": made.entry, "ask": made.ask,
            "ask_s": made.ask_s, "environment": {**environment, **dict(made.variables)}, **streams,
        }  # fmt: skip

    def close(self) -> None:
        """End the process, and remove the folder's copies."""
        self._zygote.close()
        if (self._place / "work").exists():
            empty(self._place / "work")
        empty(self._pristine)


def _is_known(name: str) -> bool:
    """Return True if a file may be left in the folder of temporary files, or next to a model."""
    # torch makes an empty folder for its compiler's cache, and Python a cache next to a module.
    return name.startswith("tmp/torchinductor") or "__pycache__" in name


@contextmanager
def fuzzer() -> Iterator[Fuzzer]:
    """A fuzzer, whose files and processes are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        made = Fuzzer(Path(folder))
        try:
            yield made
        finally:
            made.close()


def go_on(runs: int, seed: int, folder: Path) -> list[dict[str, Any]]:
    """Run command lines up to `runs` of them; all results, with those of earlier calls."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"commands-{seed}.jsonl"
    lines = kept.read_text().splitlines() if kept.exists() else []
    results = [json.loads(line) for line in lines]
    parsers, began = commands(), time.monotonic()
    first = len(results)
    if first >= runs:
        return results
    with fuzzer() as made, kept.open("a") as file:
        for number in range(first, runs):
            invocation = draw(seed, number, parsers)
            result = {**asdict(invocation), **made.run(invocation)}
            results.append(result)
            file.write(json.dumps(result) + "\n")
            file.flush()
            if result["wrong"]:
                print(_told(result), flush=True)
            elif number % 100 == 99:
                print(f"{number + 1} of {runs}, {time.monotonic() - began:.0f} s", flush=True)
    return results


def _told(result: dict[str, Any]) -> str:
    line = " ".join(repr(word[:60]) for word in result["words"])
    last = result["errors"].strip().splitlines()[-1:]
    return f"{result['number']}: {line}\n    {'; '.join(result['wrong'])}\n    {last}"


def main() -> int:
    """Run command lines, and say what is wrong and how they ended."""
    parser = argparse.ArgumentParser(prog="commands", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=PROJECT_ROOT / "build" / "fuzz")
    parser.add_argument("--only", type=int, nargs="*", help="run these numbers, and print all")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended on the way
    if given.only is not None:
        with fuzzer() as made:
            for number in given.only:
                invocation = draw(given.seed, number, commands())
                print(json.dumps({**asdict(invocation), **made.run(invocation)}, indent=1))
        return 0
    results = go_on(given.runs, given.seed, given.folder)
    statuses = Counter(f"{result['status']}" for result in results)
    ways = Counter(result["entry"] for result in results)
    slowest = max(results, key=lambda result: result["seconds"])
    wrong = [result for result in results if result["wrong"]]
    print(f"{len(results)} command lines; {dict(ways)}; by status: {dict(statuses)}")
    print(f"the slowest took {slowest['seconds']} s: {slowest['words']}")
    print(f"{len(wrong)} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
