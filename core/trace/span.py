"""A single span as an object for tooltips, details and tables, and the text on its bar."""

from __future__ import annotations

from dataclasses import dataclass

from core.plan.task import ABSENT, Kind, Payload, known
from core.trace.short_labels import short_label
from core.trace.spans import Spans


@dataclass(frozen=True, slots=True)
class Span:
    """A span or, with `end` None, a task that is still open.

    Times are ns since the run's start. `index` is the position among the lane's spans, -1 while
    open. `step` is ABSENT for spans of other programs' traces that are outside of all steps.
    """

    lane: int
    index: int
    kind: Kind
    step: int
    task: int
    start: int
    end: int | None
    stage: int | None = None
    replica: int | None = None
    microbatch: int | None = None
    block: int | None = None
    bucket: int | None = None
    rows: int = 0
    bytes: int = 0
    payload: Payload = Payload.NONE
    ready: int | None = None
    launched: int | None = None
    after: tuple[int, ...] = ()
    paired_stage: int | None = None
    paired_microbatch: int | None = None
    paired_rows: int | None = None  # of an overlap's backward
    name: str = ""

    @property
    def label(self) -> str:
        """Text on the bar: the shortened name, or the result of `bar_label`."""
        if self.name:
            return short_label(self.name)
        return bar_label(
            self.kind,
            _or_absent(self.microbatch),
            _or_absent(self.bucket),
            _or_absent(self.block),
            _or_absent(self.replica),
            _or_absent(self.paired_microbatch),
        )


def _or_absent(number: int | None) -> int:
    return ABSENT if number is None else number


def bar_label(
    kind: Kind, microbatch: int, bucket: int, block: int, replica: int, paired: int
) -> str:
    """Return a bar's text: the kind's letter, and a micro-batch, bucket, block or replica.

    Only communication has the (receiving) replica. The text of an overlap has both actions,
    `F3 B1`; `paired` is the backward's micro-batch. Numbers that do not apply are ABSENT.
    """
    if kind is Kind.OVERLAP:
        return f"{Kind.FORWARD.letter}{microbatch} {Kind.BACKWARD.letter}{paired}"
    for number in (microbatch, bucket, block):
        if number != ABSENT:
            return f"{kind.letter}{number}"
    if kind.is_communication and replica != ABSENT:
        return f"{kind.letter}{replica}"
    return kind.letter


def span_of(lane: int, index: int, one: Spans) -> Span:
    """Return the only span of `one` as an object; the end of an open task is None."""
    table = one.table
    place = int(one.row[0])
    row = table.rows[place]
    values = table.attributes(place)
    for name in ("start", "end", "ready", "launched"):
        values[name] = known(one[name][0])
    if values["kind"] is Kind.OVERLAP:
        values["paired_rows"] = table.paired_rows(place)
    if row["name"] != ABSENT:
        values["name"] = table.names[row["name"]]
    values["lane"] = lane
    return Span(**values, index=index, step=int(one.step[0]), task=int(row["task"]))
