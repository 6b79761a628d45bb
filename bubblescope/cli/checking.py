"""The command `check`: whether the times of this machine can be trusted."""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from bubblescope.api.running import RunError
from bubblescope.cli.report import table
from core.check.client import CheckClient
from core.check.findings import Finding, Level, judge, overall, overall_text
from core.check.measured import Failed, Measured, to_plain
from core.files import write_whole
from core.plain import say

POLL_SECONDS = 0.2
NOT_TRUSTED = 1
"""Exit status if some times cannot be trusted."""


def check_machine(arguments: argparse.Namespace) -> int:
    """Measure this machine, print a line for each check, and return the exit status.

    With `--folder`, save the table and the recordings there. Raises RunError if the check cannot
    be made.
    """
    folder = "" if arguments.folder is None else str(Path(arguments.folder).resolve())
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
    measured = _measure(folder)
    findings = [judge(one) for one in measured]
    values = [_plain_line(one, finding) for one, finding in zip(measured, findings, strict=True)]
    text = findings_text(findings)
    document = json.dumps({"verdict": overall(findings), "checks": values}, indent=1)
    say(document if arguments.json else text)
    if folder:
        write_whole(Path(folder, "check.txt"), text + "\n")
        write_whole(Path(folder, "check.json"), document + "\n")
    return NOT_TRUSTED if overall(findings) is Level.BAD else 0


def findings_text(findings: list[Finding]) -> str:
    """Return the table that `check` prints, and the verdict below it."""
    rows = []
    for line in findings:
        rows.append((line.check, line.subject, line.value, line.verdict))
    header = ("check", "of", "measured", "can be trusted")
    return f"{table(header, rows)}\n\n{overall_text(findings)}"


def _measure(folder: str) -> list[Measured]:
    """Return all measurements, and show on standard error how many there are so far."""
    found: list[Measured] = []
    shows = sys.stderr.isatty()
    with closing(CheckClient(folder)) as client:
        while not client.is_over:
            for one in client.poll():
                if isinstance(one, Failed):
                    raise RunError(str(one.text))
                found.append(one)
            if shows:
                print(f"\r{len(found)} checks made", end="", file=sys.stderr, flush=True)
            time.sleep(POLL_SECONDS)
    if shows:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return found


def _plain_line(measured: Measured, finding: Finding) -> dict[str, Any]:
    """Return a line of the table as JSON: what was measured, in ns and shares, and its verdict."""
    name, values = to_plain(measured)
    return {
        "measured": name,
        "values": values,
        "verdict": finding.level,
        "text": str(finding.value),
        "advice": str(finding.advice),
    }
