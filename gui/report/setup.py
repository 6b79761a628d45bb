"""What a run was made with: settings, hardware, versions, and what was said during it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from core.explain.ranks import rank_times
from core.plan.specification import with_defaults
from core.plan.strategies import STRATEGIES
from core.trace.trace import Trace
from gui.look.core_texts import translated
from gui.look.ranks import issue_lines, rank_heads, rank_words
from gui.look.text import bytes_text, duration_text, tr
from gui.report.page import Section, facts, joined, paragraph, table

WARNED = ("warning", "error")
MOST_LINES = 50


def setup_sections(trace: Trace) -> Iterator[Section]:
    """Settings (of another program's trace, its ranks), machine and warnings of a run."""
    if not trace.span_count:
        yield Section(tr("Nothing recorded"), paragraph(tr("This run has recorded no spans.")))
    if trace.header.source.has_plan:
        yield Section(tr("Settings"), facts(_settings(trace)))
    else:
        yield from _ranks(trace)
    machine = [*_flat(trace.header.hardware), *_flat(trace.header.versions)]
    if machine:
        yield Section(tr("Hardware and versions"), facts(machine))
    warnings = [
        (duration_text(row.time), tr(row.level), translated(row.text))
        for row in trace.logs
        if row.level in WARNED
    ]  # fmt: skip
    if warnings:
        header = (tr("at"), tr("level"), tr("what was said"))
        yield Section(tr("Warnings"), table(header, warnings[:MOST_LINES], 3))


def _ranks(trace: Trace) -> Iterator[Section]:
    """Yield the ranks and the file's irregularities, for a trace without settings."""
    rows = [rank_words(time) for time in rank_times(trace)[:MOST_LINES]]
    yield Section(tr("Ranks"), table(rank_heads(), rows))
    yield Section(tr("File"), joined(*map(paragraph, issue_lines(trace))))


def _settings(trace: Trace) -> list[tuple[str, str]]:
    """Every setting of the run that has a value, the model's among them."""
    specification = trace.header.specification
    # Another version's recording may name a strategy that this one has no defaults of.
    if specification.strategy in STRATEGIES:
        specification = with_defaults(specification)
    values: dict[str, Any] = asdict(specification)
    model = values.pop("model")
    values["batch"] = specification.batch_rows
    told = {
        "model": model.pop("name"),
        **{name: value for name, value in model.items() if value is not None},
        **{name: value for name, value in values.items() if value is not None},
        "parameters": bytes_text(trace.header.model.parameter_bytes),
    }
    return [(tr(name.replace("_", " ")), _text(value)) for name, value in told.items()]


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Names and values of nested settings, one behind the other."""
    for name, value in values.items():
        title = f"{before}{name}".replace("_", " ")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{title} ")
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            for number, item in enumerate(value):
                yield from _flat(item, f"{title} {number} ")
        elif value not in ([], (), None):
            size = name == "memory" and isinstance(value, int)
            yield title, bytes_text(value) if size else _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
