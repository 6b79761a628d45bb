"""Messages from the engine process to its client. No torch: window and command line import it.

Through the pipe go Arrow streams one behind the other. A run is a stream with a header and rows.
What is said apart from its rows is a stream without any, whose metadata holds it: that the engine
is ready, what a model is, and how a run or a rank ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import pyarrow as pa

from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.trace.header import Header
from core.typed import typed


class Outcome(StrEnum):
    """How a run ended: all steps done, stopped on request, refused before it began, or failed."""

    FINISHED = "finished"
    STOPPED = "stopped"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over. `text` says why if it did not finish."""

    outcome: Outcome
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """The engine cannot run anything, and its process ends; `text` says why, and what to do."""

    text: str


Message: TypeAlias = Hardware | ModelDescription | Header | pa.RecordBatch | Ended | Unusable
"""The machine, once the engine has loaded torch; what the user's own model is, which only it can
tell; the header of a run that begins, then its rows, batch by batch; how it ended; and why the
engine cannot run any."""
APART_KEY = b"bubblescope-apart"
APART: dict[str, Callable[[Any], Message]] = {
    "ready": lambda hardware: typed(Hardware, hardware),
    "described": ModelDescription.from_dict,
    "ended": lambda ended: Ended(Outcome(ended[0]), ended[1]),
    "unusable": Unusable,
}
"""The messages apart from a run, by name, from what JSON holds of them."""


def send(sink: Any, name: str, value: object) -> None:
    """Send a message apart from a run: a name of `APART`, and a value that JSON can hold."""
    text = json.dumps([name, value]).encode()
    with pa.ipc.new_stream(sink, pa.schema([], metadata={APART_KEY: text})):
        pass
