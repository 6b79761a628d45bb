"""Sources of traces, and the properties of each source."""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """Origin of a trace's spans; the value is its id in recordings."""

    RUN = "run"
    """The engine ran a plan and measured its tasks."""
    JOB = "job"
    """core.recorder measured a user's training job, or a run on torch's own engine."""
    IMPORTED = "imported"
    """Another program measured; an importer read its file."""
    PREDICTED = "predicted"
    """A plan was simulated on costs."""

    @property
    def has_plan(self) -> bool:
        """True if settings, model and tasks were known before the first step.

        Such a trace has a strategy, blocks and lanes with meaningful numbers, and no task lies
        outside of its steps. In other traces, tasks, names and ranks are known only from
        what was recorded.
        """
        return self in (Source.RUN, Source.PREDICTED)

    @property
    def lists_all_tasks(self) -> bool:
        """True if a measured step lists all of its tasks, so that a missing span is found."""
        return self in (Source.RUN, Source.JOB)

    @property
    def has_whole_steps(self) -> bool:
        """True if a step's spans arrive together, when the step has ended."""
        return self is not Source.RUN
