"""Waits and lifetimes of the engine that can be taken out, to show that the tests see it.

Run in a process that has the test device (tests.device.build): `python -m tests.device.mutations`
prints a row for each, as JSON.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from unittest import mock

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.summary import summarise
from tests.core.helpers import run_here
from tests.device.backend import races

TWO = "deferred:0,deferred:1"
ONE = "2xdeferred:0"


class Seen(NamedTuple):
    """The result of a run: its largest gradient error, and the accesses that were not ordered."""

    error: float
    races: list[str]
    failure: str = ""

    @property
    def is_right(self) -> bool:
        """True if nothing shows that a wait is missing."""
        return self.error <= 1e-5 and not self.races and not self.failure


def specification(strategy: str, devices: str = TWO, **settings: Any) -> Specification:
    """A small run; the gradients of its steps are compared with the plain step's."""
    model = ModelSettings("mlp", width=64, depth=4)
    given = {"batch": 64, "steps": 2, "warmup": 1, "verify": True, **settings}
    return Specification(strategy, model, devices, **given)


def run(given: Specification) -> Seen:
    """Run it in this process on the test device."""
    races()
    try:
        summary = summarise(run_here(given))
    except RuntimeError as failure:
        return Seen(math.inf, races(), str(failure))
    errors = (summary.gradient_error, summary.loss_error)
    worst = max(math.inf if error is None or math.isnan(error) else error for error in errors)
    return Seen(worst, races())


@contextlib.contextmanager
def without_lane_waits() -> Iterator[None]:
    """No task waits for a task of another lane."""
    from core.engine.lanes.devices import StreamLane

    with mock.patch.object(StreamLane, "wait", lambda lane, timestamp: None):
        yield


MUTATIONS: dict[str, Callable[[], contextlib.AbstractContextManager[None]]] = {
    "a task waits for tasks of other lanes": without_lane_waits,
}


def main(names: list[str]) -> None:
    """Print a row for the untouched engine, and one for each named mutation."""
    given = specification("dp")
    rows = {"": run(given)._asdict()}
    for name in names or MUTATIONS:
        with MUTATIONS[name]():
            rows[name] = run(given)._asdict()
    print(json.dumps(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
