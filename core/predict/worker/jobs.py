"""What the predictor is asked for, and what it answers. No torch, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.costs.costs import CostModel
from core.models.description import ModelDescription
from core.plan.plan import Lane
from core.plan.specification import Specification
from core.predict.advisor import Advise
from core.predict.whatif import WhatIfQuery


@dataclass(frozen=True, slots=True)
class Draw:
    """Predict a question's pipeline as a whole recording (bytes of its stream)."""

    question: WhatIfQuery


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Predict a step of several runs of one model; the result has the ns of each."""

    specifications: tuple[Specification, ...]
    model: ModelDescription
    lanes: tuple[Lane, ...]
    costs: CostModel


Job = WhatIfQuery | Draw | StepTimes | Advise
"""Of jobs of one kind that wait only the latest is done.

The result of a WhatIfQuery is a WhatIfResult, that of Advise is Advised.
"""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of the job with this number."""

    number: int
    result: object


@dataclass(frozen=True, slots=True)
class Refused:
    """The job with this number cannot be done; one line says why."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """So much of the job with this number is done."""

    number: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The process has ended by itself, and with it every job that it had; says so in a line."""

    text: str


Reply = Done | Refused | Progress | Lost
