"""The command `gate`: compares a recording with a baseline, for continuous integration."""

from __future__ import annotations

import argparse
import re

from bubblescope.cli.opening import open_with_warnings
from core.compare.assertions import parse_assertion
from core.compare.baselines import find_baseline
from core.compare.gate import judge
from core.compare.gate_files import gate_junit, gate_markdown, gate_text
from core.errors import PlanError
from core.files import check_outputs, write_whole
from core.plain import say

FAILED = 1
"""Exit status if the new run is slower, or if an assertion does not hold."""
MOST_PERCENT = 1000
_PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?%", re.ASCII)


def gate_recordings(arguments: argparse.Namespace) -> int:
    """Judge a recording, print the result and write the outputs. Return the exit status.

    Raises PlanError or another ValueError in one line.
    """
    fail_over = parse_percent("--fail-over", arguments.fail_over)
    assertions = [parse_assertion(text) for text in arguments.assertions or ()]
    baseline = find_baseline(arguments.baseline, arguments.new, arguments.name)
    check_outputs({**vars(arguments), "baseline": baseline})
    names = (baseline, arguments.new)
    before, after = (open_with_warnings(name) for name in names)
    found = judge(before, after, fail_over, assertions, names)
    if arguments.markdown is not None:
        write_whole(arguments.markdown, gate_markdown(found, names))
    if arguments.junit is not None:
        write_whole(arguments.junit, gate_junit(found, names))
    say(gate_text(found, names))
    return 0 if found.passes else FAILED


def parse_percent(option: str, text: str) -> float:
    """Return the fraction that a text such as `3%` means. Raises PlanError in one line."""
    found = _PERCENT.fullmatch(text.strip())
    if found is None or float(found[1]) > MOST_PERCENT:
        raise PlanError(f"{option} {text}: use a number of per cent such as 3%")
    return float(found[1]) / 100
