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
from bubblescope.cli.report import milliseconds, table
from core.check.client import CheckClient
from core.check.findings import Finding, Level, judge, overall, overall_text
from core.check.measured import Failed, Measured, to_plain
from core.check.picture import step_picture
from core.errors import RecordingError
from core.files import check_folder, write_whole
from core.plain import say, share_text
from core.recording.recording import open_recording
from core.report.summary import summarise

POLL_SECONDS = 0.2
RECORDING = ".arrow"
NOT_TRUSTED = 1
"""Exit status if some times cannot be trusted."""


def check_machine(arguments: argparse.Namespace) -> int:
    """Measure this machine, print a line for each check, and return the exit status.

    With `--folder`, save the table, the recordings and their pictures there. Raises PlanError for a
    folder with files, and RunError if the check cannot be made or ends early; measurements made
    until then are printed and saved.
    """
    folder = None if arguments.folder is None else Path(arguments.folder).resolve()
    if folder is not None:
        if folder.exists():
            check_folder("--folder", arguments.folder)
        folder.mkdir(parents=True, exist_ok=True)
    measured, failed = _measure(str(folder or ""), arguments.full)
    if failed is not None and not measured:
        raise RunError(failed.text)
    findings = [judge(one) for one in measured]
    values = [_plain_line(one, finding) for one, finding in zip(measured, findings, strict=True)]
    text = findings_text(findings)
    document = json.dumps({"verdict": overall(findings), "checks": values}, indent=1)
    say(document if arguments.json else text)
    if folder is not None:
        write_whole(Path(folder, "check.txt"), text + "\n")
        write_whole(Path(folder, "check.json"), document + "\n")
        _write_runs(folder)
    if failed is not None:
        raise RunError(failed.text)
    return NOT_TRUSTED if overall(findings) is Level.BAD else 0


def findings_text(findings: list[Finding]) -> str:
    """Return the table that `check` prints, and the verdict below it."""
    rows = []
    for line in findings:
        rows.append((line.check, line.subject, line.value, line.verdict))
    header = ("check", "of", "measured", "can be trusted")
    return f"{table(header, rows)}\n\n{overall_text(findings)}"


def _write_runs(folder: Path) -> None:
    """Write a picture of each recording in a folder, and a table of their median steps."""
    rows = []
    for path in sorted(folder.iterdir()):
        is_of_ranks = path.is_dir() and any(path.glob(f"rank-*{RECORDING}"))
        if path.suffix != RECORDING and not is_of_ranks:
            continue
        try:
            trace = open_recording(path).trace
        except RecordingError:  # the check's process ended while it wrote the file
            continue
        summary = summarise(trace)
        if not summary.steps:
            continue
        write_whole(path.with_suffix(".svg"), step_picture(trace, path.stem))
        step = summary.median
        idle = share_text(step.bubble_by_makespan)
        rows.append((path.stem, milliseconds(step.makespan_ns), idle, path.name))
    if rows:
        text = table(("run", "median step ms", "idle", "recording"), rows)
        write_whole(folder / "runs.txt", text + "\n")


def _measure(folder: str, full: bool) -> tuple[list[Measured], Failed | None]:
    """Return all measurements, and the failure that ended the check early, or None.

    If standard error is a terminal, shows the number of measurements so far there.
    """
    found: list[Measured] = []
    failed = None
    shows = sys.stderr.isatty()
    with closing(CheckClient(folder, full)) as client:
        while not client.is_over:
            for one in client.poll():
                if isinstance(one, Failed):
                    failed = one
                else:
                    found.append(one)
            if shows:
                print(f"\r{len(found)} checks made", end="", file=sys.stderr, flush=True)
            time.sleep(POLL_SECONDS)
    if shows:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return found, failed


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
