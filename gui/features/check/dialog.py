"""Dialog that checks the machine: a line for each measurement as it arrives, and the verdict."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDialog, QPushButton, QTreeWidget, QTreeWidgetItem, QWidget

from core.check.client import CheckClient
from core.check.findings import Finding, Level, judge, overall_text
from core.check.measured import Failed
from core.override import override
from gui.look.core_texts import translated
from gui.look.text import ntr, problem_text, tr
from gui.widgets.label import Label, sentence_label
from gui.widgets.layouts import button, column, row
from gui.widgets.tables import dress_tree

POLL_MS = 200
WIDTH = 940
HEIGHT = 640
BUTTON = 100
MEASURED = 3
"""The last column, which takes the rest of the width."""
SIGNS = {Level.GOOD: "✓", Level.CARE: "!", Level.BAD: "✕", Level.UNKNOWN: "–"}
"""A sign before each verdict, so that problems are found at a glance."""


class CheckDialog(QDialog):
    """A non-modal dialog. Closing it ends a running check.

    `start_client` starts a check's process.
    """

    def __init__(
        self, parent: QWidget, start_client: Callable[[], CheckClient] = CheckClient
    ) -> None:
        super().__init__(parent)
        self._start_client = start_client
        self._client: CheckClient | None = None
        self._findings: list[Finding] = []
        self.setWindowTitle(tr("Check this machine"))
        self.verdict = sentence_label(tr("Verdict on this machine"))
        bold = self.verdict.font()
        bold.setBold(True)
        self.verdict.setFont(bold)
        self.about = Label(wrapped=True)
        self.problem = Label(look="problem", wrapped=True)
        self.problem.hide()
        self.lines = QTreeWidget()
        heads = [tr("Check"), tr("Of"), tr("Can be trusted"), tr("Measured")]
        dress_tree(self.lines, tr("Results of the check"), heads, MEASURED)
        tip = tr("Measure for one to two minutes; other programs should be idle.")
        self.begin_button = button(QPushButton, tr("Start"), tip, self.toggle)
        self.begin_button.setDefault(True)
        self.begin_button.setMinimumWidth(BUTTON)
        close = button(QPushButton, tr("Close"), tr("Close this window and end the check."))
        close.setAutoDefault(False)
        close.clicked.connect(self.reject)
        column(
            self.verdict,
            self.about,
            self.problem,
            self.lines,
            row(None, self.begin_button, close),
            of=self,
            growing=self.lines,
            margins=(16, 14, 16, 12),
            spacing=10,
        )
        self.resize(WIDTH, HEIGHT)
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self.refresh)
        self._show_state()
        self.begin_button.setFocus()

    def toggle(self) -> None:
        """Start a check, or end the running one."""
        if self._client is not None:
            self.stop()
            return
        self._findings.clear()
        self.lines.clear()
        self.problem.say("")
        try:
            self._client = self._start_client()
        except OSError as error:
            self.problem.say(problem_text(error))
            return
        self._timer.start()
        self._show_state()

    def stop(self) -> None:
        """End the check; its results so far stay."""
        self._timer.stop()
        if self._client is not None:
            self._client.close()
            self._client = None
        self._show_state()

    def refresh(self) -> None:
        """Add the results since the last call."""
        client = self._client
        if client is None:
            return
        for measured in client.poll():
            if isinstance(measured, Failed):
                self.problem.say(translated(measured.text))
            else:
                self._add(judge(measured))
        if client.is_over:
            self.stop()
        else:
            self._show_state()

    @override
    def done(self, result: int) -> None:
        self.stop()
        super().done(result)

    def _add(self, finding: Finding) -> None:
        self._findings.append(finding)
        level = translated(finding.level.text)
        texts = [
            translated(finding.check),
            translated(finding.subject),
            f"{SIGNS[finding.level]}  {level}",
            translated(finding.value),
        ]
        item = QTreeWidgetItem(self.lines, texts)
        if finding.advice:
            # A separate line over all columns: no column is wide enough for a sentence.
            advice = QTreeWidgetItem(item, [translated(finding.advice)])
            advice.setFirstColumnSpanned(True)
            item.setExpanded(True)
        self.lines.scrollToBottom()

    def _show_state(self) -> None:
        """Update the button, and the sentences above the table."""
        runs = self._client is not None
        count = len(self._findings)
        self.begin_button.setText(tr("Stop") if runs else tr("Start"))
        if runs:
            self.verdict.setText(tr("Measuring…"))
            made = ntr("{n} check made.", "{n} checks made.", count)
            about = tr("This takes one to two minutes; other programs should be idle.")
            self.about.setText(f"{made} {about}")
        elif count:
            self.verdict.setText(translated(overall_text(self._findings)))
            self.about.setText(tr("The command bubblescope check does the same without a display."))
        else:
            self.verdict.setText(tr("Can this machine's timings be trusted?"))
            self.about.setText(
                tr(
                    "This measures timestamps, clocks, whether lanes overlap, what recording "
                    "costs and the gradients of every strategy, and looks for other programs and "
                    "settings that distort times."
                )
            )
