"""Texts of the toolbar and the status bar. Pure but for translation."""

from __future__ import annotations

from core.costs.costs import MOST_PASSES
from core.plan.strategies import STRATEGIES
from core.predict.compare import Comparison
from core.predict.doubt import doubt
from core.trace.complete import measured_steps
from core.trace.event_rows import PASSES, STARTED
from core.trace.median_step import slowest_step, whole_steps
from core.trace.trace import Trace
from core.trace.verified import verified
from gui.app.run import Run
from gui.look.text import change_text, duration_text, ntr, significant, tr
from gui.timeline.state.scene import Scene, name_of_step

BEHIND_S = 0.3  # seconds; a shorter delay is not noticed, and not shown


def recorded_text(trace: Trace, per_pixel: float) -> str:
    """Return `5 steps recorded · 412 spans · exact`; instead of `exact`, the spans per pixel."""
    count = len(trace.steps)
    steps = ntr("{n} step recorded", "{n} steps recorded", count)
    spans = ntr("{n:,} span", "{n:,} spans", trace.span_count)
    drawn = tr("exact")
    if per_pixel:
        drawn = tr("reduced: about {count} spans per pixel", count=significant(per_pixel))
    return f"{steps} · {spans} · {drawn}"


def behind_text(seconds: float) -> str:
    """Return the delay of a live picture behind the engine; "" while it keeps up."""
    if seconds < BEHIND_S:
        return ""
    return tr("the picture is {time} behind", time=duration_text(1e9 * seconds))


def verified_text(trace: Trace) -> str:
    """Return the gradient error of a verified run; if an error is too large, also the loss's."""
    found = verified(trace)
    if found is None:
        return ""
    if found.agrees:
        return tr("gradients differ by at most {error}", error=f"{found.gradient:.1e}")
    return tr(
        "not what a plain step computes: gradients differ by {gradient}, losses by {loss}",
        gradient=f"{found.gradient:.1e}",
        loss=f"{found.loss:.1e}",
    )


def predicted_text(comparison: Comparison | None) -> str:
    """Return `predicted 42.1 ms, measured 44.0 ms, -4.3 %` of the median step; or ""."""
    if comparison is None:
        return ""
    measured, predicted = comparison.makespans_ns
    return tr(
        "predicted {predicted}, measured {measured}, {error}",
        predicted=duration_text(predicted),
        measured=duration_text(measured),
        error=change_text(comparison.makespan_error),
    )


def predicted_tip(comparison: Comparison | None) -> str:
    """Return the source of the costs, and the error of each lane's computing time."""
    if comparison is None:
        return ""
    count = len(comparison.steps)
    steps = tr("1 step") if count == 1 else tr("the median of {n} steps", n=count)
    source = tr(str(comparison.source))
    lines = [tr("Costs {source}; {steps}.", source=source, steps=steps)]
    for lane in comparison.lanes:
        error = "" if lane.error is None else f", {change_text(lane.error)}"
        lines.append(
            tr(
                "{lane} computes {measured}, predicted {predicted}{error}",
                lane=lane.name,
                measured=duration_text(lane.busy_ns),
                predicted=duration_text(lane.predicted_busy_ns),
                error=error,
            )
        )
    return "\n".join(lines)


def lane_notes(comparison: Comparison | None) -> dict[str, str]:
    """Return the note of each lane's prediction by the lane's name: `predicted −2.1 %`."""
    notes = {}
    for lane in () if comparison is None else comparison.lanes:
        if lane.error is not None:
            notes[lane.name] = tr("predicted {error}", error=change_text(lane.error))
    return notes


def doubt_text(run: Run) -> str:
    """Return why a run's prediction is far off; "" if it is close."""
    found = None if run.comparison is None else doubt(run.trace, run.comparison)
    return "" if found is None else tr(found.value)


def step_text(run: Run, scene: Scene) -> str:
    """Return `step 3 of 5 · 41.8 ms`, `warm-up 1 of 2` or `median of 5 steps: step 3 · 41.8 ms`.

    This describes the step of the window's figures. While a live run is followed, it gives the
    progress of the run.
    """
    steps = scene.step_numbers
    if not len(steps):
        return starting_text(run) if run.live else ""
    if run.live and measures_costs(run.trace):
        return measuring_text(run.trace)
    step = scene.described
    if step is None:
        return ""
    start, end = run.trace.step_bounds(step)
    duration = duration_text(end - start)
    if scene.chosen_step is not None:
        words = _counted_step(run.trace, step)
        if step == scene.usual_step and not run.live:
            words = tr("{step}, the median", step=words)
        return f"{words} · {duration}"
    if run.live:
        words = _counted_step(run.trace, int(steps[-1]))
        # The duration of the latest whole step; a warm-up step's is not shown.
        return f"{words} · {duration}" if step in measured_steps(run.trace) else words
    name = name_of_step(run.trace, step)
    count = len(whole_steps(run.trace))
    words = tr("median of {n} steps: {step}", n=count, step=name) if count > 1 else name
    return f"{words} · {duration}"


def other_step(run: Run, scene: Scene) -> int | None:
    """Return the slowest step, or the median one if the slowest is on screen.

    Returns None for a live run, and for a run whose median step is its slowest.
    """
    steps = [] if run.live else whole_steps(run.trace)
    median = scene.usual_step
    if median is None or len(steps) < 2:
        return None
    slowest = slowest_step(run.trace, steps)
    if slowest == median:
        return None
    return median if scene.described == slowest else slowest


def other_step_text(run: Run, scene: Scene) -> str:
    """Return the text of the link to the other step: `Slowest: 139 ms`; "" without one."""
    step = other_step(run, scene)
    if step is None:
        return ""
    start, end = run.trace.step_bounds(step)
    duration = duration_text(end - start)
    if step == scene.usual_step:
        return tr("Median: {time}", time=duration)
    return tr("Slowest: {time}", time=duration)


def _counted_step(trace: Trace, step: int) -> str:
    """Return the name of a step, with the number of steps: `step 3 of 5`."""
    if not trace.header.source.has_plan:
        return name_of_step(trace, step)
    specification = trace.header.specification
    warmup = specification.warmup
    if step < warmup:
        return tr("warm-up {n} of {total}", n=step + 1, total=warmup)
    total = len(specification.all_rows) - warmup
    return tr("step {n} of {total}", n=step - warmup + 1, total=total)


def starting_text(run: Run) -> str:
    """Return the state of a run before its first bar."""
    trace = run.trace
    strategy = STRATEGIES.get(trace.header.specification.strategy)
    if strategy is not None and strategy.on_ranks:
        count = trace.header.replicas
        started = 0
        for rank in range(count):
            if len(trace.counter(STARTED, rank).values):
                started += 1
        if started < count:
            return tr("starting rank {n} of {count}…", n=started + 1, count=count)
    return tr("starting…")


def measuring_text(trace: Trace) -> str:
    """Return the number of the pass in which the costs of tasks are measured."""
    passes = trace.counter(PASSES).values
    finished = int(passes[-1]) if len(passes) else 0
    under_way = min(MOST_PASSES, finished + 1)
    return tr("measuring costs, pass {n} of at most {most}", n=under_way, most=MOST_PASSES)


def measures_costs(trace: Trace) -> bool:
    """Return True while a live run measures costs, between warm-up and first measured step."""
    specification = trace.header.specification
    steps = trace.steps
    if not specification.calibrate or trace.costs is not None or trace.open_tasks:
        return False
    last = specification.warmup - 1
    is_warm = bool(steps) and steps[-1] == last
    return is_warm and last in trace.counter("loss").steps


def progress(run: Run) -> tuple[int, int]:
    """Return the whole steps so far and all steps of the run; 0 and 0 for a job without a plan."""
    if not run.trace.header.source.has_plan:
        return 0, 0
    total = len(run.trace.header.specification.all_rows)
    return max(0, len(run.trace.steps) - 1), total
