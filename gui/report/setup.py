"""Sections of a report about a run's settings, hardware, versions and warnings."""

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
    """Yield sections with settings (or, of an imported trace, ranks), machine and warnings."""
    if not trace.span_count:
        yield Section(tr("Nothing recorded"), paragraph(tr("This run has recorded no spans.")))
    if trace.header.source.has_plan:
        yield Section(tr("Settings"), facts(_settings(trace)))
    else:
        yield from _ranks(trace)
    machine = [*_flat(trace.header.hardware), *_flat(trace.header.versions)]
    if machine:
        yield Section(tr("Hardware and versions"), facts(machine))
    warnings = []
    for row in trace.logs:
        if row.level in WARNED:
            warnings.append((duration_text(row.time), tr(row.level), translated(row.text)))
    if warnings:
        header = (tr("at"), tr("level"), tr("message"))
        yield Section(tr("Warnings"), table(header, warnings[:MOST_LINES], 3))


def _ranks(trace: Trace) -> Iterator[Section]:
    """Yield sections on the ranks and the file's irregularities, for a trace without settings."""
    listed = rank_times(trace)[:MOST_LINES]
    rows = [rank_words(times) for times in listed]
    yield Section(tr("Ranks"), table(rank_heads(), rows))
    issues = map(paragraph, issue_lines(trace))
    yield Section(tr("File"), joined(*issues))


def _settings(trace: Trace) -> list[tuple[str, str]]:
    """Return all settings of the run that have a value, including the model's."""
    specification = trace.header.specification
    # A recording of another version may name a strategy that this version does not have.
    if specification.strategy in STRATEGIES:
        specification = with_defaults(specification)
    values: dict[str, Any] = asdict(specification)
    model = values.pop("model")
    values["batch"] = specification.batch_rows
    values = {
        "model": model.pop("name"),
        **model,
        **values,
        "parameters": bytes_text(trace.header.model.parameter_bytes),
    }
    settings = []
    for name, value in values.items():
        if value is not None:
            title = tr(name.replace("_", " "))
            settings.append((title, _text(value)))
    return settings


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names and values of nested settings in one flat list."""
    for name, value in values.items():
        title = f"{before}{name}".replace("_", " ")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{title} ")
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            for number, item in enumerate(value):
                yield from _flat(item, f"{title} {number} ")
        elif name == "memory" and isinstance(value, int):
            yield title, bytes_text(value)
        elif value not in ([], (), None):
            yield title, _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
