"""Invariants of any command line: its end, its output, and the files that it leaves."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping

from tests.fuzz.commands.grammar import Invocation

BAD_INPUT = 2
INTERRUPTED = 128 + signal.SIGINT
ASIDE = ("warning: ", "note: ", "run ")
"""Beginnings of lines on standard error that are not errors."""
OF_QT = ("This plugin does not support", "QBackingStore")
"""Begins lines of the platform without a display."""
MOST_SECONDS = 20.0
"""Of a command that starts no engine, listens to nobody and opens no window."""
LONG = ("run", "sweep", "lesson", "calibrate", "listen", "open")
"""Commands that may go on for long."""
KEEPS = ("run", "sweep", "record", "listen", "lesson", "calibrate")
"""Commands that may have written when they fail: they keep what was measured."""


def wrongs(made: Invocation, answer: Mapping, errors: str, before: dict, after: dict) -> list[str]:
    """Every rule that a command line broke. `before` and `after` are `files.listing`s."""
    return [
        *_of_status(made, answer, errors),
        *_of_files(made, answer["status"], before, after),
        *(f"a process stays behind: {left}" for left in answer["left"]),
    ]


def _of_status(made: Invocation, answer: Mapping, errors: str) -> list[str]:
    status, asked_s = answer["status"], answer["asked_s"]
    if status is None:
        return ["hangs: it did not end after a signal"]
    aside = OF_QT if made.command == "open" else ASIDE
    lines = [line for line in errors.split("\n") if line and not line.startswith(aside)]
    found = []
    if "Traceback" in errors or "Fatal Python error" in errors:
        found.append("a traceback")
    # A user's model that cannot be imported is quoted with the error that it raises.
    is_own_error = re.search(r"(?<!cannot be imported: )\b[A-Z][A-Za-z]+Error: ", errors)
    if is_own_error and "Traceback" not in errors:
        found.append("an error of Python's own, in place of words about the input")
    if "Exception ignored" in errors or "Warning:" in errors:
        found.append("a warning of Python's")
    if status == BAD_INPUT:
        if len(lines) != 1 or not lines[0].startswith("bubblescope"):
            found.append("status 2 without exactly one line of ours on standard error")
        elif len(lines[0]) > 2000:
            found.append(f"a line of {len(lines[0])} characters")
    elif made.command == "record":  # the status is that of what it ran
        if len(lines) > 1 or not all(line.startswith("bubblescope: ") for line in lines):
            found.append("more than one line about a job that was run")
    elif status in (INTERRUPTED, -signal.SIGTERM, -signal.SIGINT):
        if asked_s is None:
            found.append(f"status {status} without a signal")
        # A signal may come between the words about bad input and the end.
        if lines and not (len(lines) == 1 and lines[0].startswith("bubblescope")):
            found.append("more than one line about an interrupt")
    elif status != 0:
        found.append(f"status {status}")
    elif made.command == "listen" and made.stdout == "out":
        found.append("listen ends with status 0 by itself")
    elif lines and "/dev/stderr" not in "".join(made.words):
        found.append("status 0 with words on standard error")
    if asked_s is not None and made.ask_s >= MOST_SECONDS and made.command not in LONG:
        found.append(f"it takes more than {MOST_SECONDS:g} s")
    return found


def _of_files(made: Invocation, status: int | None, before: dict, after: dict) -> list[str]:
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if made.words == ("--install-desktop",):
        changed = [name for name in changed if not name.startswith("home/")]
    # A cache of Qt's or torch's, and the settings of the window that was opened.
    ours = ("home/.cache", "home/.config", "home/.local/state", "home/.nv")
    changed = [name for name in changed if not name.startswith(ours) and name != "home/.local"]
    named = [os.path.normpath(f"work/{name}") for name in _written(made)]
    found = []
    for name in sorted(changed):
        if not any(name == one or name.startswith(f"{one}/") for one in named):
            found.append(f"{'changed' if name in before else 'left behind'}: {name!r}")
        # Files are written before the table is printed, which may fail by itself.
        elif status == BAD_INPUT and made.command not in KEEPS and made.stdout != "/dev/full":
            found.append(f"refused, and yet written: {name!r}")
        elif ".part" in name or ".bubblescope-" in name:
            found.append(f"half a file: {name!r}")
    return found


def _option_values(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Options and their values, as --option=value or as two words."""
    found = []
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word.startswith("--"):
            option, equals, value = word.partition("=")
            found.append((option, value if equals else following))
    return found


def _written(made: Invocation) -> list[str]:
    """Paths, in the folder, that the words of the command line allow to be written."""
    # An option that names an output may have been given once more, with any value.
    values = _option_values(made.words)
    of_outputs = {option for option, value in values if value in made.outputs}
    again = [value for option, value in values if option in {"--out", *of_outputs}]
    names = [*made.outputs, *again]
    if made.command in ("record", "listen") and not made.outputs:
        names.append("runs")
    if made.command in ("record", "listen"):  # they make a folder with its parents
        names += [name.partition("/")[0] for name in names if not name.startswith("/")]
    # Through a link what it leads to is written.
    links = {"link.png": "out.png", "link.csv": "schedule.csv", "dangling.png": "made.png",
             "dangling.arrow": "nowhere", "link.arrow": "own.arrow"}  # fmt: skip
    names += [links[name] for name in names if name in links]
    names += [name.removeprefix("there/") for name in names if name.startswith("there/")]
    return [name for name in names if name and name not in (".", "..", "/", "-")]
