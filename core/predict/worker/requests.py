"""Requests to the process that predicts, and its replies. No torch, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.costs.costs import CostModel
from core.message import Text
from core.models.description import ModelDescription
from core.plan.plan import Lane
from core.plan.specification import Specification
from core.predict.advisor import AdviceQuery, WayQuery
from core.predict.whatif import WhatIfQuery


@dataclass(frozen=True, slots=True)
class Draw:
    """Predict a step as a recording; the result is the bytes of its stream."""

    question: WhatIfQuery | WayQuery


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Predict one step of several runs of one model; the result has the ns of each."""

    specifications: tuple[Specification, ...]
    model: ModelDescription
    lanes: tuple[Lane, ...]
    costs: CostModel


PredictionRequest = WhatIfQuery | WayQuery | Draw | StepTimes | AdviceQuery
"""A WhatIfQuery or WayQuery has a WhatIfResult as its result, an AdviceQuery an AdviceResult."""


@dataclass(frozen=True, slots=True)
class PredictionDone:
    """The result of the request with this number."""

    number: int
    result: object


@dataclass(frozen=True, slots=True)
class PredictionRefused:
    """The request with this number cannot be answered; `text` gives the reason in one line."""

    number: int
    text: Text


@dataclass(frozen=True, slots=True)
class PredictionProgress:
    """Progress of the request with this number: `done` of its `total` parts are finished."""

    number: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class PredictionLost:
    """The process ended unexpectedly, and all its requests are lost; `text` says so in one line."""

    text: Text


PredictionReply = PredictionDone | PredictionRefused | PredictionProgress | PredictionLost
