"""Stores data of imported traces and jobs in recordings that has no column.

A log row at IMPORTED_LEVEL, after the plans, contains JSON with the numbers of the steps, the range
if it is the only step, the file's irregularities, the events' colours, the places of counters, the
transfers between ranks, and the intervals without a recording.
Rows at ARGUMENTS_LEVEL, one for each task, contain the arguments of its event. Neither is shown as
a line of the log.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.message import message
from core.plan.task import ABSENT
from core.trace.import_issue import ImportIssue
from core.trace.imported import Exchanges, Imported
from core.trace.own_colours import OWN_COLOURS
from core.trace.trace import Trace

IMPORTED_LEVEL = "imported"
ARGUMENTS_LEVEL = "arguments"
_FIRST = ord("0") - ABSENT
"""Character code of the first of OWN_COLOURS; the code before it means no colour."""


def imported_text(trace: Trace) -> str:
    """Return the JSON for a trace without a plan."""
    imported = trace.imported or Imported()
    colours = None
    if imported.colours is not None:
        codes = imported.colours + _FIRST
        colours = codes.astype(np.uint8).tobytes().decode("ascii")
    has_arguments = imported.arguments is not None
    values = {
        "steps": trace.step_table.numbers.tolist(),
        "odd": imported.issues,
        "colours": colours,
        "arguments": has_arguments or imported.keeps_arguments,
        "part": trace.part,
        "counters": imported.counter_places,
        "exchanges": imported.exchanges,
        "pauses": imported.pauses,
    }
    return json.dumps(values)


def take_imported(trace: Trace, text: str) -> None:
    """Apply the JSON of `imported_text` to a trace. Raises ValueError or LookupError if invalid."""
    values = json.loads(text)
    steps = np.array(values["steps"], np.int32).reshape(-1)
    # With -1 in front, a negative first number is refused too.
    increases = np.diff(steps, prepend=-1) > 0
    if not increases.all():
        raise ValueError(message("the numbers of steps do not increase"))
    trace.listed_steps = steps
    # Recordings of earlier versions have no "part", "counters", "exchanges" or "pauses".
    part = values.get("part")
    if part is not None:
        start, end = part
        trace.part = (int(start), int(end))
    if trace.imported is None:
        return
    issues: dict[ImportIssue, int] = {}
    for word, number in values["odd"].items():
        issue = ImportIssue(word)
        count = int(number)
        if count > 0:
            issues[issue] = count
    counter_places: dict[str, str] = {}
    for name, place in values.get("counters", {}).items():
        counter_places[str(name)] = str(place)
    colours = _colours(values["colours"], len(trace.table))
    exchanges = _exchanges(values.get("exchanges", {}))
    pauses = []
    for start, end in values.get("pauses", ()):
        pauses.append((int(start), int(end)))
    trace.imported = Imported(
        issues=issues,
        colours=colours,
        counter_places=counter_places,
        keeps_arguments=values["arguments"] is True,
        exchanges=exchanges,
        pauses=tuple(pauses),
    )


def _exchanges(values: Mapping[str, Sequence[Sequence[int]]]) -> Exchanges:
    """Return the transfers of buckets. Raises ValueError for transfers without two ranks."""
    found = {}
    for bucket, transfers in values.items():
        directions = []
        for sender, receiver in transfers:
            directions.append((int(sender), int(receiver)))
        found[int(bucket)] = directions
    return found


def _colours(text: str | None, count: int) -> NDArray[np.int8] | None:
    """Return the colours of `count` rows. Raises ValueError for other counts and colours."""
    if text is None:
        return None
    # In 16 bits, because in uint8 a code below _FIRST would wrap around to a large number.
    characters = np.frombuffer(text.encode("ascii"), np.uint8)
    codes = characters.astype(np.int16) - _FIRST
    is_unknown = codes < ABSENT
    is_unknown |= codes >= len(OWN_COLOURS)
    if len(codes) != count or is_unknown.any():
        raise ValueError(message("events have colours that do not exist"))
    return codes.astype(np.int8)
