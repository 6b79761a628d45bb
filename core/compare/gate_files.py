"""Results of a gate as Markdown and as JUnit XML."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from core.compare.gate import Gate, Judgement, percent
from core.compare.step_times import StepTimeEstimate
from core.counts import steps_text
from core.plain import duration_text, plain, plain_markup

SUITE = "bubblescope gate"
_MARKDOWN = "\\`*_[]<>|#"
"""Characters with a meaning in Markdown; the backslash is escaped first."""


def gate_markdown(gate: Gate, names: tuple[str, str]) -> str:
    """Return a Markdown section with the judgement, both sides' steps and the assertions.

    `names` are the names of the baseline and of the new run.
    """
    state = "passed" if gate.passes else "failed"
    change = f"{100 * gate.shift:+.3g} %"
    noise = percent(gate.noise)
    allowed = percent(gate.fail_over)
    lines = [
        f"### Step time: {state}",
        "",
        _escaped(str(gate.headline)),
        "",
        "| | run | steps | mean of the middle half |",
        "|---|---|---|---|",
        _side_row("baseline", names[0], gate.baseline),
        _side_row("new", names[1], gate.new),
        "",
        f"Difference {change}, noise {noise}, allowed slow-down {allowed}.",
    ]
    if gate.checked:
        lines.append("")
    for one in gate.checked:
        lines.append(f"- {_escaped(str(one.text))}")
    return "\n".join(lines) + "\n"


def _side_row(role: str, name: str, side: StepTimeEstimate) -> str:
    run = _escaped(name)
    steps = len(side.steps)
    mean = duration_text(side.mean_ns)
    return f"| {role} | {run} | {steps} | {mean} |"


def gate_junit(gate: Gate, names: tuple[str, str]) -> str:
    """Return a JUnit test suite: a case for the step time, and one for each assertion.

    A step time that is not judged is a skipped case.
    """
    results = {Judgement.SLOWER: "failure", Judgement.NOT_JUDGED: "skipped"}
    _, run = names
    result = results.get(gate.judgement, "")
    cases = [_case("step time", run, result, str(gate.sentence))]
    for one in gate.checked:
        result = "" if one.holds else "failure"
        cases.append(_case(one.assertion.text, run, result, str(one.text)))
    failures = len(gate.failures)
    skipped = int(gate.judgement is Judgement.NOT_JUDGED)
    counts = f'tests="{len(cases)}" failures="{failures}" skipped="{skipped}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f'<testsuite name="{SUITE}" {counts} errors="0">',
        *cases,
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def gate_text(gate: Gate, names: tuple[str, str]) -> str:
    """Return the text that `gate` prints: the judgement, further findings, and both runs."""
    state = "PASS" if gate.passes else "FAIL"
    before = steps_text(len(gate.baseline.steps))
    after = steps_text(len(gate.new.steps))
    baseline, new = names
    headline = str(gate.headline)
    details = [str(gate.sentence)]
    for one in gate.checked:
        details.append(str(one.text))
    lines = [f"{state}: {headline}"]
    for detail in details:
        if detail != headline:
            lines.append(detail)
    lines.append(f"baseline: {baseline}, {before}; new: {new}, {after}")
    plain_lines = map(plain, lines)
    return "\n".join(plain_lines)


def _case(name: str, run: str, result: str, text: str) -> str:
    """Return a test case; `result` is the name of an element with the text as its message."""
    line = _line(text)
    quoted_run = quoteattr(_line(run))
    quoted_name = quoteattr(_line(name))
    head = f"<testcase classname={quoted_run} name={quoted_name}>"
    inner = ""
    if result:
        inner = f"<{result} message={quoteattr(line)}/>"
    return f"{head}{inner}<system-out>{escape(line)}</system-out></testcase>"


def _line(text: str) -> str:
    """Return a text on one line, without characters that XML does not allow."""
    return plain_markup(plain(text))


def _escaped(text: str) -> str:
    """Return a text on one line, with Markdown's special characters escaped."""
    line = plain(text)
    for letter in _MARKDOWN:
        line = line.replace(letter, f"\\{letter}")
    return line
