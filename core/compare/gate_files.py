"""Results of a gate as Markdown and as JUnit XML."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from core.compare.gate import Gate, Judgement, percent
from core.plain import counted, duration_text, plain, plain_markup

SUITE = "bubblescope gate"
_MARKDOWN = "\\`*_[]<>|#"


def gate_markdown(gate: Gate, names: tuple[str, str]) -> str:
    """Return a Markdown section with the judgement, both sides' steps and the assertions.

    `names` are those of the baseline and of the new run.
    """
    title = "passed" if gate.passes else "failed"
    lines = [f"### Step time: {title}", "", _escaped(gate.sentence), ""]
    lines += ["| | run | steps | mean of the middle half |", "|---|---|---|---|"]
    for role, name, side in zip(("baseline", "new"), names, (gate.baseline, gate.new), strict=True):
        mean = duration_text(side.mean_ns)
        lines.append(f"| {role} | {_escaped(name)} | {len(side.steps)} | {mean} |")
    change = f"{100 * gate.shift:+.3g} %"
    lines += ["", f"Difference {change}, noise {percent(gate.noise)}, allowed slow-down "]
    lines[-1] += f"{percent(gate.fail_over)}."
    if gate.checked:
        lines += ["", *(f"- {_escaped(str(one))}" for one in gate.checked)]
    return "\n".join(lines) + "\n"


def gate_junit(gate: Gate, names: tuple[str, str]) -> str:
    """Return a JUnit test suite: a case for the step time, and one for each assertion.

    A step time that is not judged is a skipped case.
    """
    sentence = _line(gate.sentence)
    inner = ""
    if gate.judgement is Judgement.SLOWER:
        inner = f"<failure message={quoteattr(sentence)}/>"
    elif gate.judgement is Judgement.NOT_JUDGED:
        inner = f"<skipped message={quoteattr(sentence)}/>"
    cases = [_case("step time", names[1], inner, sentence)]
    for one in gate.checked:
        text = _line(str(one))
        failure = "" if one.holds else f"<failure message={quoteattr(text)}/>"
        cases.append(_case(one.assertion.text, names[1], failure, text))
    skipped = int(gate.judgement is Judgement.NOT_JUDGED)
    counts = f'tests="{len(cases)}" failures="{len(gate.failures)}" skipped="{skipped}"'
    suite = f'<testsuite name="{SUITE}" {counts} errors="0">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", suite, *cases]
    return "\n".join([*lines, "</testsuite>", "</testsuites>"]) + "\n"


def gate_text(gate: Gate, names: tuple[str, str]) -> str:
    """Return the text that `gate` prints: one line, and one for each assertion."""
    state = "PASS" if gate.passes else "FAIL"
    steps = [counted(len(side.steps), "step") for side in (gate.baseline, gate.new)]
    lines = [f"{state}: {gate.sentence}"]
    lines += [str(one) for one in gate.checked]
    lines.append(f"baseline: {names[0]}, {steps[0]}; new: {names[1]}, {steps[1]}")
    return "\n".join(map(plain, lines))


def _case(name: str, run: str, inner: str, text: str) -> str:
    head = f"<testcase classname={quoteattr(_line(run))} name={quoteattr(_line(name))}>"
    return f"{head}{inner}<system-out>{escape(text)}</system-out></testcase>"


def _line(text: str) -> str:
    return plain_markup(plain(text))


def _escaped(text: str) -> str:
    """Return a text on one line in which Markdown finds no markup."""
    letters = [f"\\{letter}" if letter in _MARKDOWN else letter for letter in plain(text)]
    return "".join(letters)
