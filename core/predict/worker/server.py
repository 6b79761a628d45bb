"""Functions that core.predict.worker.service calls in the process that predicts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.message import Text, error_message, message
from core.plan.faults import Faults
from core.plan.planning import plans_of
from core.predict.advisor import (
    AdviceQuery,
    AdviceResult,
    WayQuery,
    advise_in_turns,
    way_answer,
    way_recording,
)
from core.predict.predict import predicted_recording
from core.predict.whatif import WhatIf, WhatIfQuery, whole_answer
from core.predict.worker.requests import (
    Draw,
    PredictionDone,
    PredictionProgress,
    PredictionRefused,
    PredictionReply,
    PredictionRequest,
    StepTimes,
)

NICENESS = 5  # a lower priority than lanes that are measured at the same time

_rankings: dict[int, Iterator[tuple[int, int] | AdviceResult]] = {}
"""Rankings that are not finished, by the number of their request."""


@cache
def what_if() -> WhatIf:
    """Return the process's WhatIf, which keeps plans from one question to the next."""
    return WhatIf()


def lower_priority() -> None:
    """Lower the priority of this process, before its first request."""
    os.nice(NICENESS)


def reply_to(number: int, request: PredictionRequest) -> PredictionReply:
    """Answer a request, or take the first turn of a ranking."""
    try:
        match request:
            case WhatIfQuery():
                return PredictionDone(number, what_if().answer(request))
            case WayQuery():
                return PredictionDone(number, way_answer(request))
            case Draw(question):
                return PredictionDone(number, draw(question))
            case StepTimes():
                return PredictionDone(number, predicted_makespans(request))
            case AdviceQuery():
                _rankings[number] = advise_in_turns(request)
                return _take_turn(number)
    except Exception as error:
        return refusal(number, error)


def continue_ranking(number: int) -> PredictionReply:
    """Take the next turn of a ranking, whose last reply was PredictionProgress."""
    try:
        return _take_turn(number)
    except Exception as error:
        return refusal(number, error)


def forget(number: int) -> None:
    """Drop a ranking that gets no further turn."""
    _rankings.pop(number, None)


def refusal(number: int, error: Exception) -> PredictionRefused:
    """Return the reply to a request that raised an error. The process continues."""
    forget(number)
    text: Text
    if isinstance(error, PlanError):
        text = error_message(error)
    elif isinstance(error, MemoryError):
        text = error_message(error) or message("there is not enough memory for this prediction")
    else:
        name = type(error).__name__
        text = message("the prediction failed: {name}: {reason}", name=name, reason=error)
    return PredictionRefused(number, text)


def _take_turn(number: int) -> PredictionReply:
    """Predict one more way of a ranking."""
    turn = next(_rankings[number])
    if isinstance(turn, AdviceResult):
        forget(number)
        return PredictionDone(number, turn)
    done, total = turn
    return PredictionProgress(number, done, total)


def predicted_makespans(request: StepTimes) -> tuple[int, ...]:
    """Return the predicted ns of each run's largest step. Raises PlanError."""
    found = []
    for specification in request.specifications:
        plans = plans_of(specification, request.model, list(request.lanes))
        largest = plans[max(plans)]
        columns = predict_times(largest, request.costs, Faults.of(specification))
        found.append(int(columns.end.max(initial=0)))
    return tuple(found)


def draw(question: WhatIfQuery | WayQuery) -> bytes:
    """Return a question's prediction as a recording. Raises PlanError."""
    if isinstance(question, WayQuery):
        return way_recording(question)
    run, prediction = whole_answer(question)
    return predicted_recording(run.header, run.plan.tasks, prediction.columns)
