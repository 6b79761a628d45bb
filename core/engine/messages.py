"""What the engine process tells its client. No torch here: window and command line import it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa

from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.trace.header import Header


class Outcome(StrEnum):
    """How a run ended: all steps done, stopped on request, refused before it began, or failed."""

    FINISHED = "finished"
    STOPPED = "stopped"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Ready:
    """The engine has loaded torch and knows the machine."""

    hardware: Hardware


@dataclass(frozen=True, slots=True)
class Described:
    """What the user's own model is, which only the engine can tell."""

    model: ModelDescription


@dataclass(frozen=True, slots=True)
class Started:
    """A run begins; its rows follow."""

    header: Header


@dataclass(frozen=True, slots=True)
class Rows:
    """A batch of the run's stream."""

    batch: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over. `text` says why if it did not finish."""

    outcome: Outcome
    text: str = ""


Message = Ready | Described | Started | Rows | Ended
