"""The whole steps of a run as arrays, for the chart of the steps, and their texts. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.trace.warmup import first_measured
from gui.look.text import duration_text, join_clauses, ntr, significant, tr
from gui.timeline.state.scene import Scene, step_name


@dataclass(frozen=True, slots=True)
class StepBars:
    """The whole steps of a run: `starts` and `ends` in ns, `losses` is NaN where unknown.

    Steps below `first` are warm-up. `warmup` is the number of warm-up steps that the settings
    state; the numbers on screen are counted from it.
    """

    steps: Ints
    starts: Ints
    ends: Ints
    losses: Floats
    warmup: int
    first: int

    @property
    def numbers(self) -> Ints:
        """Numbers of the steps as the timeline shows them: 1 is the first measured step."""
        return self.steps - self.warmup + 1

    @property
    def makespans_ms(self) -> Floats:
        """Duration of each step in ms."""
        return (self.ends - self.starts) / 1e6

    @property
    def measured(self) -> Bools:
        """True for each step that is not warm-up."""
        return self.steps >= self.first

    def at(self, number: int) -> int | None:
        """Return the place of the step with this number, or None if there is none."""
        place = int(np.searchsorted(self.numbers, number))
        if place < len(self.steps) and self.numbers[place] == number:
            return place
        return None

    def name(self, place: int) -> str:
        """Return the name of a step, its makespan, and its loss if that is known."""
        words = [step_name(int(self.steps[place]), self.warmup)]
        makespan = float(self.ends[place] - self.starts[place])
        words.append(duration_text(makespan))
        if not np.isnan(self.losses[place]):
            words.append(tr("loss {loss}", loss=f"{self.losses[place]:.4g}"))
        return " · ".join(words)


def step_bars(scene: Scene, live: bool) -> StepBars:
    """Return the steps that have ended, including the warm-up.

    If the trace has a plan, a step has ended if its loss is known. Jobs and traces of other
    programs need not have losses, and predictions have none; then all steps count as ended, except
    the last one of a live run if its loss is not known.
    """
    counter = scene.trace.counter("loss")
    has_loss = np.isin(scene.step_numbers, counter.steps)
    if scene.trace.header.source.has_plan and len(counter.steps):
        ended = has_loss
    else:
        ended = np.ones(len(scene.step_numbers), np.bool_)
        if live:
            ended[-1:] = has_loss[-1:]
    steps = scene.step_numbers[ended]
    losses = np.full(len(steps), np.nan)
    # A loss of a step that is not in `steps` also has a place, so only exact matches are used.
    placed = np.searchsorted(steps, counter.steps)
    inside = placed < len(steps)
    hits = inside.copy()
    hits[inside] = steps[placed[inside]] == counter.steps[inside]
    losses[placed[hits]] = counter.values[hits]
    warmup = scene.trace.header.specification.warmup
    first = first_measured(scene.trace)
    return StepBars(steps, scene.step_starts[ended], scene.step_ends[ended], losses, warmup, first)


def bars_words(bars: StepBars) -> str:
    """Return a description for screen readers: number of steps, and their makespans."""
    measured = bars.makespans_ms[bars.measured]
    warm = int((~bars.measured).sum())
    words = [ntr("{n} warm-up step", "{n} warm-up steps", warm)] if warm else []
    if len(measured) == 1:
        only = significant(float(measured[0]))
        words.append(tr("1 measured step of {ms} ms", ms=only))
    elif len(measured):
        least = significant(float(measured.min()))
        most = significant(float(measured.max()))
        count = len(measured)
        words.append(
            tr("{n} measured steps of {least} to {most} ms", n=count, least=least, most=most)
        )
    last = len(bars.steps) - 1
    words.append(bars.name(last))
    return join_clauses(words)
