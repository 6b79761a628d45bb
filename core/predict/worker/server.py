"""What a worker does for core.predict.worker.client, job by job."""

from __future__ import annotations

import os
from functools import cache, partial

from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.plan.faults import Faults
from core.plan.planning import plans_of
from core.predict.advisor import Advise, advise
from core.predict.predict import predicted_recording
from core.predict.whatif import WhatIf, WhatIfQuery, whole_answer
from core.predict.worker.jobs import (
    Done,
    Draw,
    Job,
    Progress,
    Refused,
    Reply,
    StepTimes,
)
from core.process.worker import report

NICENESS = 5  # lanes that are measured meanwhile come first


@cache
def what_if() -> WhatIf:
    """The process's own, which keeps plans from one question to the next."""
    return WhatIf()


def begin() -> None:
    """Before the first job."""
    os.nice(NICENESS)


def reply_to(number: int, job: Job) -> Reply:
    """Do a job."""
    try:
        match job:
            case WhatIfQuery():
                return Done(number, what_if().answer(job))
            case Draw(question):
                return Done(number, drawn(question))
            case StepTimes():
                return Done(number, step_times(job))
            case Advise():
                return Done(number, advise(job, partial(_progress, number)))
    except (PlanError, MemoryError) as error:
        return Refused(number, str(error) or "there is not enough memory for this prediction")
    except Exception as error:  # the process goes on; the window says what happened
        return Refused(number, f"the prediction failed: {type(error).__name__}: {error}")


def _progress(number: int, done: int, total: int) -> None:
    report(Progress(number, done, total))


def step_times(job: StepTimes) -> tuple[int, ...]:
    """What each run's largest step is predicted to take, in ns. Raises PlanError."""
    found = []
    for specification in job.specifications:
        plans = plans_of(specification, job.model, list(job.lanes))
        columns = predict_times(plans[max(plans)], job.costs, Faults.of(specification))
        found.append(int(columns.end.max(initial=0)))
    return tuple(found)


def drawn(question: WhatIfQuery) -> bytes:
    """A question's prediction as a recording. Raises PlanError."""
    run, prediction = whole_answer(question)
    return predicted_recording(run.header, run.plan.tasks, prediction.columns)
