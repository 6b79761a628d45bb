"""The figures of a predicted step, below the fields of the question."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout

from core.message import N_
from core.predict.whatif import WhatIfResult
from gui.look.text import duration_text, percent_text, tr
from gui.widgets.label import Label
from gui.widgets.layouts import named


class AnswerFigures(QGridLayout):
    """Names with their values, which are a dash while there is no answer."""

    def __init__(self) -> None:
        super().__init__()
        self.values = {name: Label("–", "said") for name in FIGURES}
        self.setHorizontalSpacing(10)
        self.setVerticalSpacing(1)
        self.setColumnStretch(1, 1)
        for line, (name, (label, tip)) in enumerate(FIGURES.items()):
            title = Label(tr(label), "quiet")
            title.setToolTip(tr(tip))
            value = named(self.values[name], tr(label), tr(tip))
            self.addWidget(title, line, 0)
            self.addWidget(value, line, 1)

    def show_answer(self, answer: WhatIfResult) -> None:
        """Show the figures of an answer."""
        for name, text in figure_texts(answer).items():
            self.values[name].setText(text)

    def clear(self) -> None:
        """Show that there is no answer."""
        for label in self.values.values():
            label.setText("–")


FIGURES = {
    "makespan": (N_("Step"), N_("The predicted makespan.")),
    "closed_form": (
        N_("Closed form"),
        N_("The bubble from the literature's formula, if there is one."),
    ),
    "by_makespan": (
        N_("Bubble by makespan"),
        N_("Idle time of all lanes over lanes times makespan."),
    ),
    "peak": (
        N_("Activations"),
        N_("Most activations a lane holds at once, each of one stage and micro-batch."),
    ),
    "by_lane_span": (N_("Bubble by lane span"), N_("Idle part of the longest lane's own span.")),
    "tasks": (N_("Tasks"), N_("Tasks of the predicted step.")),
}


def figure_texts(answer: WhatIfResult) -> dict[str, str]:
    """Return the figures of an answer, by their names in FIGURES."""
    form = answer.closed_form
    return {
        "makespan": duration_text(answer.makespan_ns),
        "closed_form": tr("none") if form is None else percent_text(form),
        "by_makespan": percent_text(answer.bubble_by_makespan),
        "peak": str(int(answer.peaks.max(initial=0))),
        "by_lane_span": percent_text(answer.bubble_by_lane_span),
        "tasks": f"{answer.tasks:,}",
    }
