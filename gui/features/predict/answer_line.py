"""The answer at the top of the Try page: the step before and after, and buttons to run it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QFrame, QPushButton

from core.predict.basis import Basis
from gui.look.text import (
    MINUS,
    bytes_text,
    change_text,
    duration_text,
    range_text,
    tr,
)
from gui.widgets.label import Elided, plain_tip
from gui.widgets.layouts import NO_MARGINS, button, column, row

MARGINS = (12, 6, 12, 6)


@dataclass(frozen=True, slots=True)
class Before:
    """The run that a prediction is compared with.

    `step_ns` is the measured length of its median step. `memory_bytes` is the estimated peak of its
    fullest lane, None until it has been predicted.
    """

    step_ns: int
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class After:
    """A predicted step: its length in ns, the peak of its fullest lane, and its basis."""

    step_ns: int
    memory_bytes: int
    basis: Basis | None = None


class AnswerLine(QFrame):
    """Two lines of text, and buttons at the right: `sweep`, which is checkable, `large` and `run`.

    The page connects to `sweep`. Its controller connects to `large`, which shows the predicted step
    in the timeline, and to `run`, which runs the predicted settings.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("answer")
        self.headline = Elided("said")
        self.headline.setAccessibleName(tr("Predicted step"))
        self.detail = Elided("quiet")
        self.detail.setAccessibleName(tr("Basis of the prediction"))
        tip = tr("Show the predicted step in the timeline, as a run of the list.")
        self.large = button(QPushButton, tr("Show large"), tip)
        tip = tr("Put these settings into the form and run them.")
        self.run = button(QPushButton, tr("Run this"), tip)
        tip = tr("Run several values of an option, in place of the predicted ways.")
        self.sweep = button(QPushButton, tr("Sweep"), tip)
        self.sweep.setCheckable(True)
        for part in (self.sweep, self.large, self.run):
            part.setEnabled(part is self.sweep)
        texts = column(self.headline, self.detail, margins=NO_MARGINS, spacing=1)
        row(
            texts,
            self.sweep,
            self.large,
            self.run,
            of=self,
            growing=texts,
            margins=MARGINS,
            spacing=6,
        )

    def show_answer(self, name: str, before: Before | None, after: After, source: str) -> None:
        """Show a prediction, compared with the run `before` if there is one.

        `name` is the title of the predicted settings, or "". `source` names the source of the costs
        in a sentence.
        """
        headline = headline_text(before, after)
        self.headline.setText(f"{name}: {headline}" if name else headline)
        basis = basis_text(after.basis)
        self._show_detail(f"{basis} {source}".strip())
        self.run.setEnabled(True)

    def show_problem(self, text: str) -> None:
        """Show why there is no prediction; the buttons that need one are disabled."""
        self.headline.setText(text)
        self._show_detail("")
        self.run.setEnabled(False)
        self.large.setEnabled(False)

    def _show_detail(self, text: str) -> None:
        self.detail.setText(text)
        for label in (self.headline, self.detail):
            label.setToolTip(plain_tip(text))


def headline_text(before: Before | None, after: After) -> str:
    """Return the change of a run's step: `144 ms → 131 ms, −9.0 %, +9.0 MB`.

    Without a run, return the predicted step.
    """
    if before is None:
        return tr("Predicted step: {step}", step=duration_text(after.step_ns))
    measured = duration_text(before.step_ns, like=after.step_ns)
    predicted = duration_text(after.step_ns, like=before.step_ns)
    parts = [
        tr("{before} → {after}", before=measured, after=predicted),
        change_text(after.step_ns / max(1, before.step_ns) - 1),
    ]
    if before.memory_bytes is not None:
        parts.append(more_text(after.memory_bytes - before.memory_bytes))
    return ", ".join(parts)


def more_text(more_bytes: int) -> str:
    """Return a difference of memory with its sign, `+9.0 MB`, or words for no difference."""
    if not more_bytes:
        return tr("same memory")
    sign = "+" if more_bytes > 0 else MINUS
    return sign + bytes_text(abs(more_bytes))


def basis_text(basis: Basis | None) -> str:
    """Return the measured and modelled shares of a prediction and its range; "" without a basis."""
    if basis is None:
        return ""
    return tr(
        "{measured} of the critical path measured, {modelled} modelled; {range}.",
        measured=f"{basis.measured_percent} %",
        modelled=f"{100 - basis.measured_percent} %",
        range=range_text(basis.low_ns, basis.high_ns),
    )
