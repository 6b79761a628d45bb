"""What a recording keeps of another program's trace beside tasks and spans.

A row of the log at IMPORTED_LEVEL, after the plans, has as JSON which numbers are steps, the range
that is the only step if one is, what was odd about the file, events' own colours, and the places of
its counters. Rows at ARGUMENTS_LEVEL, one for each task, have the arguments of its event. None of
them is a line to read.
"""

from __future__ import annotations

import json

import numpy as np

from core.plan.task import ABSENT
from core.trace.odd import Odd
from core.trace.own_colours import OWN_COLOURS
from core.trace.trace import Trace

IMPORTED_LEVEL, ARGUMENTS_LEVEL = "imported", "arguments"
_FIRST = ord("0") - ABSENT
"""The character that stands for the first of OWN_COLOURS; the one before it for none."""


def imported_text(trace: Trace) -> str:
    """What a trace has of another program's."""
    colours = None
    if trace.colours is not None:
        colours = (trace.colours + _FIRST).astype(np.uint8).tobytes().decode("ascii")
    return json.dumps(
        {
            "steps": trace.step_table.numbers.tolist(),
            "odd": trace.odd,
            "colours": colours,
            "arguments": trace.arguments is not None or trace.keeps_arguments,
            "part": trace.part,
            "counters": trace.counter_places,
        }
    )


def take_imported(trace: Trace, text: str) -> None:
    """Apply what `imported_text` wrote. Raises ValueError, LookupError for what no trace has."""
    values = json.loads(text)
    steps = np.array(values["steps"], np.int32).reshape(-1)
    # The -1 refuses a first number below 0, too.
    if (np.diff(steps, prepend=-1) <= 0).any():
        raise ValueError("the numbers of steps do not grow")
    trace.imported_steps, trace.keeps_arguments = steps, values["arguments"] is True
    trace.odd = {Odd(kind): int(count) for kind, count in values["odd"].items() if int(count) > 0}
    # Recordings of earlier versions have neither of these.
    places = values.get("counters", {})
    trace.counter_places = {str(name): str(place) for name, place in places.items()}
    part = values.get("part")
    if part is not None:
        start, end = part
        trace.part = (int(start), int(end))
    if values["colours"] is not None:
        # In 16 bits: as uint8 a number below the first one would come out as a large one.
        codes = np.frombuffer(values["colours"].encode("ascii"), np.uint8).astype(np.int16) - _FIRST
        whole = len(codes) == len(trace.table)
        if not whole or ((codes < ABSENT) | (codes >= len(OWN_COLOURS))).any():
            raise ValueError("events have colours that there are not")
        trace.colours = codes.astype(np.int8)
