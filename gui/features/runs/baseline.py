"""The baseline: a run that the user has pinned, to compare other runs with it."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.median_step import whole_steps
from gui.app.run import Run
from gui.look.text import change_text, percent_text, tr


@dataclass(slots=True)
class Baseline:
    """The pinned run, if there is one."""

    run: Run | None = None

    def text_for(self, shown: Run) -> str:
        """Return how the mean step of a run compares with the baseline's.

        Returns "" without a baseline, and while one of the two runs is live.
        """
        run = self.run
        if run is None:
            return ""
        if run is shown:
            return tr("baseline")
        if run.live or shown.live:
            return ""
        # Imported here, because it would slow the start of the window.
        from core.compare.sentence import ALIKE
        from core.compare.step_times import FEWEST_STEPS, noise_ns, step_times

        steps = [whole_steps(one.trace) for one in (run, shown)]
        if min(map(len, steps)) < FEWEST_STEPS:
            return tr("too few steps to compare with the baseline")
        before = step_times(run.trace, steps[0])
        after = step_times(shown.trace, steps[1])
        noise = max(noise_ns(before, after) / before.mean_ns, ALIKE)
        change = after.mean_ns / before.mean_ns - 1
        if abs(change) <= noise:
            return tr("as the baseline, within {noise}", noise=percent_text(noise))
        return tr("{change} against the baseline", change=change_text(change))
