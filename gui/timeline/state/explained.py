"""Cache of the explanations of a run's steps, shared by pictures and panels."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from core.explain.blockers import BlockerWaits, main_waits, waits_by_blocker
from core.explain.cause_intervals import CauseIntervals, cause_intervals
from core.explain.critical import PathPiece, Trail, critical_path, trail_of
from core.explain.explanation import Explanation
from core.explain.gaps import GapReport, run_gap_report
from core.explain.lanes import Gap
from core.explain.run_step import explain_run_step
from core.plan.division import Pipeline
from core.plan.plan import working_lanes
from core.predict.replan import RunPlans
from core.report.step_figures import StepFigures, figures_of_step
from core.trace.complete import is_over
from core.trace.trace import Trace
from gui.look.text import tr

KEPT_TASKS = 300_000  # in all explanations together; the least recently used are evicted
KEPT_FIGURES = 1_000  # steps
KEPT_TRAILS = 2_000  # steps: more than a screen has room for
LARGE = 70_000  # tasks: about a tenth of a second; longer work is done on a thread (explaining.py)
MOST = 1_000_000  # tasks: some seconds and 0.7 GB; larger steps are not explained in the window
STALE_S = 0.3  # least time between two explanations of an open step


T = TypeVar("T")


class Wanted(Enum):
    """Results for a step that can be computed beforehand."""

    EXPLANATION = auto()
    FIGURES = auto()
    TRAIL = auto()


class StepProgress(NamedTuple):
    """Progress of a step: the number of finished tasks, and whether it is complete.

    Results for a step are valid while its progress is the same. Progress can change without a
    further task: a step is complete when the next step begins, its loss is known or the run ends.
    Until then its lanes may still have work.
    """

    tasks: int
    is_final: bool


@dataclass(eq=False)
class ExplainedStep:
    """A step's explanation, its progress, and the time `since`, in seconds, when it was made.

    `task_labels` caches the texts on bars by position in the explanation's columns.
    """

    progress: StepProgress
    since: float
    explanation: Explanation
    task_labels: dict[int, str] = field(default_factory=dict)

    @cached_property
    def cause_intervals(self) -> CauseIntervals:
        """Idle time by cause."""
        return cause_intervals(self.explanation)

    @cached_property
    def waits(self) -> BlockerWaits:
        """Idle time by the lane that others wait for."""
        return waits_by_blocker(self.explanation)

    @cached_property
    def main_waits(self) -> BlockerWaits:
        """The gaps, each with its longest wait."""
        return main_waits(self.explanation)

    @cached_property
    def path(self) -> list[PathPiece]:
        """The critical path."""
        return critical_path(self.explanation)

    def is_stale(self, progress: StepProgress, now: float) -> bool:
        """Return True if the step should be explained again, because its progress has changed."""
        # A final step is explained at once: there may be no later event that would trigger it.
        if self.progress == progress:
            return False
        return progress.is_final or now - self.since >= STALE_S


class _StepCache(Generic[T]):
    """Cache of a value for each step, valid for one progress; the oldest entry is evicted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[int, tuple[StepProgress, T]] = {}

    def get(self, step: int, progress: StepProgress) -> T | None:
        """Return the value for a step with this progress, or None."""
        known, made = self._made.get(step, (None, None))
        return made if known == progress else None

    def put(self, step: int, progress: StepProgress, made: T) -> T:
        """Store a value, and return it."""
        self._made[step] = (progress, made)
        while len(self._made) > self._most:
            del self._made[next(iter(self._made))]
        return made


@dataclass(frozen=True, slots=True)
class StepResults:
    """All results for a step, computed beforehand; see `ExplanationCache.keep`."""

    known: ExplainedStep
    figures: StepFigures


class ExplanationCache:
    """Explanations of one trace's steps. A growing step is explained again from time to time.

    The window asks only for steps that are `at_hand`; others are explained on a thread
    (explaining.py). `concealed` is the reason for hiding all explanations; "" shows them.
    """

    def __init__(self, trace: Trace, clock: Callable[[], float] = time.monotonic) -> None:
        self._trace = trace
        self._clock = clock
        self._plans = RunPlans(trace)
        self._lanes = working_lanes(trace.header.lanes)
        self._counted: dict[int, StepProgress] = {}
        self._counted_at = -1
        self._known: OrderedDict[int, ExplainedStep] = OrderedDict()
        # Idle time by cause is as small as the figures, and shown with them: both are kept
        # together, so that no table explains the step again.
        self._figures = _StepCache[tuple[StepFigures, CauseIntervals]](KEPT_FIGURES)
        self._trails = _StepCache[Trail](KEPT_TRAILS)
        self._refused: dict[int, str] = {}
        self.concealed = ""
        self._on_screen: frozenset[int] = frozenset()

    def step(self, step: int) -> ExplainedStep:
        """Return a step's explanation, computed if it is missing or stale.

        Raises KeyError for a step without spans.
        """
        known = self._known.get(step)
        now = self.progress(step), self._clock()
        if known is None or known.is_stale(*now):
            known = ExplainedStep(*now, explain_run_step(self._trace, step))
            self._known[step] = known
            self._forget()
        self._known.move_to_end(step)
        return known

    def known(self, step: int) -> ExplainedStep | None:
        """Return a step's last explanation, if any; for painters, which compute nothing."""
        if self.concealed:
            return None
        if step in self._known:
            self._known.move_to_end(step)
        return self._known.get(step)

    def explanation(self, step: int) -> Explanation:
        """Return why a step's lanes are idle. Raises KeyError for a step without spans."""
        return self.step(step).explanation

    def cause_intervals(self, step: int) -> CauseIntervals:
        """Return a step's idle time by cause, cached as long as its figures."""
        found = self._figures.get(step, self.progress(step))
        return self.step(step).cause_intervals if found is None else found[1]

    def known_trail(self, step: int) -> Trail | None:
        """Return the course of a step's critical path, if it is known."""
        if self.concealed:
            return None
        return self._trails.get(step, self.progress(step))

    def trail(self, step: int) -> Trail:
        """Return the course of a step's critical path, cached longer than the explanation."""
        found = self.known_trail(step)
        if found is None:
            known = self.step(step)
            made = trail_of(known.explanation, known.path)
            found = self._trails.put(step, known.progress, made)
        return found

    def figures(self, step: int) -> StepFigures:
        """Return a step's waterfall, bubbles and sums, cached longer than its explanation."""
        found = self._figures.get(step, self.progress(step))
        if found is None:
            known = self.step(step)
            found = self._figures.get(step, known.progress)
            if found is None:
                figures = figures_of_step(self._plans, step, known.explanation)
                found = self._figures.put(step, known.progress, (figures, known.cause_intervals))
        return found[0]

    def pipeline(self, step: int) -> Pipeline | None:
        """Return the pipeline of a step's plan, if it has one and can be reconstructed."""
        plan = self._plans.plan(step)
        return None if plan is None else plan.pipeline

    def report(self, lane: int, time_ns: int) -> GapReport | None:
        """Return the gap of a lane at a time of the run; None if it is busy or outside the run."""
        return run_gap_report(self._trace, lane, time_ns, lambda _, step: self.explanation(step))

    def progress(self, step: int) -> StepProgress:
        """Return a step's progress. Raises KeyError for a step without spans."""
        self._trace.step_bounds(step)
        if self._counted_at != self._trace.version:
            self._counted = {}
            self._counted_at = self._trace.version
        if step not in self._counted:
            spans = (self._trace.spans(lane.index) for lane in self._lanes)
            places = (some.of_step(step) for some in spans)
            tasks = sum(place.stop - place.start for place in places)
            self._counted[step] = StepProgress(tasks, _is_final(self._trace, step))
        return self._counted[step]

    def knows(self, step: int, wanted: Wanted = Wanted.EXPLANATION) -> bool:
        """Return whether the `wanted` result for a step's current progress is cached."""
        if self.concealed:
            return False
        if wanted is Wanted.EXPLANATION:
            known = self._known.get(step)
            now = self.progress(step), self._clock()
            return known is not None and not known.is_stale(*now)
        kept = self._figures if wanted is Wanted.FIGURES else self._trails
        return kept.get(step, self.progress(step)) is not None

    def report_at_hand(self, gap: Gap) -> GapReport | None:
        """Return why a lane is idle, unless computing it would block the window."""
        if not self.at_hand(gap.step):
            return None
        return self.report(gap.lane, gap.start)

    def problem(self, step: int) -> str:
        """Return why a step cannot be explained, in a sentence; "" if it can."""
        if self.concealed:
            return self.concealed
        tasks = self.progress(step).tasks
        if tasks <= MOST:
            return self._refused.get(step, "")
        return tr(
            "Not explained: the step has {n} tasks, and at most {most} are explained here.",
            n=f"{tasks:,}",
            most=f"{MOST:,}",
        )

    def refuse(self, step: int, problem: str) -> None:
        """Store the reason why a step cannot be explained."""
        self._refused[step] = problem

    def at_hand(self, step: int) -> bool:
        """Return whether a step's results are cached, or fast enough for the window to wait."""
        if self.concealed:
            return False
        if self.progress(step).tasks <= LARGE:
            return not self.problem(step)
        known = self._known.get(step)
        return known is not None and known.progress == self.progress(step)

    def compute(self, step: int) -> StepResults:
        """Return the results for `keep`, on any thread, as long as the trace does not grow."""
        explanation = explain_run_step(self._trace, step)
        progress = StepProgress(len(explanation.columns), _is_final(self._trace, step))
        known = ExplainedStep(progress, self._clock(), explanation)
        # Cached properties, accessed here so that they are computed on this thread and not with the
        # first picture.
        _ = known.cause_intervals, known.path, known.waits, known.main_waits
        return StepResults(known, figures_of_step(self._plans, step, explanation))

    def keep(self, step: int, made: StepResults) -> None:
        """Store the results for a step; evict the explanations of other large steps."""
        # A large explanation takes up to 0.7 GB: only one is kept.
        for other in _steps_by_size(self._known, large=True):
            del self._known[other]
        known = made.known
        figures = (made.figures, known.cause_intervals)
        self._known[step] = known
        self._figures.put(step, known.progress, figures)
        self._forget()

    def warm(
        self, steps: Iterable[int], seconds: float, wanted: Wanted = Wanted.EXPLANATION
    ) -> bool:
        """Compute the `wanted` results of steps for some seconds; return False if some are left.

        At least one missing result is computed, even with no time. While explanations are
        concealed, nothing is computed and nothing is left. The steps whose explanations are wanted
        count as on screen: they stay cached until this is called for others.
        """
        if self.concealed:
            return True
        ask = {
            Wanted.EXPLANATION: self.explanation,
            Wanted.FIGURES: self.figures,
            Wanted.TRAIL: self.trail,
        }[wanted]
        steps = list(steps)
        if wanted is Wanted.EXPLANATION:
            self._on_screen = frozenset(steps)
        missing = [step for step in steps if not self.knows(step, wanted)]
        end = self._clock() + seconds
        for number, step in enumerate(missing):
            if number and self._clock() > end:
                return False
            ask(step)
        return True

    def _forget(self) -> None:
        """Evict the least recently used small steps; a large one stays until `keep` replaces it."""
        small = _steps_by_size(self._known, large=False)
        total = sum(self._known[step].progress.tasks for step in small)
        # The last one stays even if it is large, and so do steps on screen: otherwise each picture
        # would explain some again and evict others that it needs.
        for step in small[:-1]:
            if total > KEPT_TASKS and step not in self._on_screen:
                evicted = self._known.pop(step)
                total -= evicted.progress.tasks


def _steps_by_size(known: Mapping[int, ExplainedStep], large: bool) -> list[int]:
    """Return the explained steps that are large, or the small ones."""
    found = []
    for step, explained in known.items():
        is_large = explained.progress.tasks > LARGE
        if is_large is large:
            found.append(step)
    return found


def _is_final(trace: Trace, step: int) -> bool:
    return is_over(trace, step) or trace.outcome is not None
