"""What a worker does for core.predict.worker.client, job by job."""

from __future__ import annotations

import os
from functools import cache

from core.errors import PlanError
from core.plan.faults import Faults
from core.plan.planning import plans_of
from core.predict.advisor import advice_on, advise
from core.predict.costs import CostError
from core.predict.predict import predict_times, predicted_recording
from core.predict.whatif import WhatIf, WhatIfQuery, whole_answer
from core.predict.worker.jobs import (
    Advise,
    Advised,
    Done,
    Draw,
    Job,
    Progress,
    Refused,
    Reply,
    StepTimes,
    WhatIfRequest,
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
            case WhatIfRequest(question):
                return Done(number, what_if().answer(question))
            case Draw(question):
                return Done(number, drawn(question))
            case StepTimes():
                return Done(number, step_times(job))
            case Advise():
                return Done(number, _advise(number, job))
    except (PlanError, MemoryError) as error:
        return Refused(number, str(error) or "there is not enough memory for this prediction")
    except Exception as error:  # the process goes on; the window says what happened
        return Refused(number, f"the prediction failed: {type(error).__name__}: {error}")


def _advise(number: int, job: Advise) -> Advised:
    about = (job.specification, job.model, job.lanes, job.costs, job.stages)
    missing: list[str] = []

    def progress(done: int, total: int) -> None:
        report(Progress(number, done, total))

    ways = advise(*about, progress, lambda error: missing.append(str(error)))
    try:
        present = advice_on(*about)
    except CostError:
        present = None
    return Advised(ways, present, missing[0] if missing else "")


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
