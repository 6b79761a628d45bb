"""The first-run page: what this is, sample recordings, three things to try, recent files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.first_page.samples import SAMPLES
from gui.look.label import Label, plain_tip
from gui.look.layouts import button, row
from gui.look.text import tr
from gui.look.theme import Theme
from gui.panels.cards import Card

WIDEST = 860
MOST_ACROSS = 3  # cards
RECENT = 5  # recordings that are listed; the File menu has them all
SENTENCE = (
    "Runs a training step in parallel on this machine's devices and shows what every device does, "
    "when it waits, and why."
)
TRIES = (
    ("schedules", "Run GPipe, then 1F1B", "Two short pipelines on 4 lanes, then one above "
     "the other on one axis."),
    ("bubble", "Find the longest bubble", "Opens the pipeline and selects its longest idle gap; "
     "Details says why it is there."),
    ("parallel", "Compare DP with DDP", "One gathers all on lane 0, the other reduces while it "
     "computes."),
)  # fmt: skip


class WelcomePage(QScrollArea):
    """Stands where the timeline does while nothing is shown.

    `opened` carries a recording's path, `tried` the name of one of TRIES, `forgotten` a path that
    shall not be listed any more.
    """

    opened = Signal(object)
    tried = Signal(str)
    forgotten = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("First page"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._sheet = QWidget()
        self._sheet.setObjectName("plot")
        self._sheet.setMaximumWidth(WIDEST)
        self._column = QVBoxLayout(self._sheet)
        self._column.setContentsMargins(20, 14, 20, 14)
        self._column.setSpacing(8)
        self.cards: list[Card] = []
        self._build()
        self.setWidget(_centred(self._sheet))

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for card in self.cards:
            card.set_theme(theme)

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List the recordings that were opened last; those that are gone can be removed."""
        while (item := self._recent.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._recent_heading.setVisible(bool(paths))
        for line, path in enumerate(paths[:RECENT]):
            there = path.exists()
            self._recent.addWidget(self._recent_button(path, there), line, 0)
            folder = Label(str(path.parent) if there else tr("missing"), "quiet")
            self._recent.addWidget(folder, line, 1)
            if not there:
                self._recent.addWidget(self._remove_button(path), line, 2)

    def _build(self) -> None:
        title, sentence = Label("Bubblescope"), Label(tr(SENTENCE))
        title.setObjectName("welcome")
        sentence.setWordWrap(True)
        self._column.addWidget(title)
        self._column.addWidget(sentence)
        self._column.addWidget(_heading(tr("SAMPLE RECORDINGS")))
        opens = [partial(self.opened.emit, sample.path) for sample in SAMPLES]
        words = [(sample.title, sample.line) for sample in SAMPLES]
        self._add_cards(words, opens)
        self._column.addWidget(_heading(tr("THREE THINGS TO TRY")))
        tries = [partial(self.tried.emit, name) for name, _, _ in TRIES]
        self._add_cards([(title, line) for _, title, line in TRIES], tries)
        self._recent_heading = _heading(tr("RECENT FILES"))
        self._column.addWidget(self._recent_heading)
        self._recent = QGridLayout()
        self._recent.setHorizontalSpacing(12)
        self._recent.setVerticalSpacing(2)
        self._recent.setColumnStretch(3, 1)
        self._column.addLayout(self._recent)
        hint = Label(
            tr(
                "Or press F5 to run what the form on the left says, drop recordings here, or press "
                "Ctrl+Shift+P for everything else."
            ),
            "quiet",
            wrapped=True,
        )
        self._column.addWidget(hint)
        self._column.addStretch(1)
        self.show_recent([])

    def _add_cards(
        self, words: Sequence[tuple[str, str]], slots: Sequence[Callable[[], None]]
    ) -> None:
        made: list[Card] = []
        for (title, line), slot in zip(words, slots, strict=True):
            card = Card(tr(title), tr(line))
            card.setCheckable(False)
            policy = card.sizePolicy()
            policy.setVerticalPolicy(QSizePolicy.Policy.Preferred)  # all as high as the highest
            card.setSizePolicy(policy)
            card.clicked.connect(lambda _=False, slot=slot: slot())
            made.append(card)
        self.cards += made
        across = -(-len(made) // -(-len(made) // MOST_ACROSS))  # rows as long as each other
        for first in range(0, len(made), across):
            shown = made[first : first + across]
            cards = row(*shown, spacing=8)
            for card in shown:
                cards.setStretchFactor(card, 1)
            self._column.addLayout(cards)

    def _recent_button(self, path: Path, there: bool) -> QToolButton:
        tip, choose = plain_tip(str(path)), partial(self.opened.emit, path)
        made = button(QToolButton, path.name, tip, choose)
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        made.setObjectName("link")
        made.setEnabled(there)
        made.setAccessibleName(tr("Open {name}", name=path.name))
        return made

    def _remove_button(self, path: Path) -> QToolButton:
        tip, forget = tr("Take this file off the list."), partial(self.forgotten.emit, path)
        made = button(QToolButton, "×", tip, forget)
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        made.setObjectName("close")
        made.setAccessibleName(tr("Remove {name} from the list", name=path.name))
        return made


def _heading(text: str) -> QLabel:
    label = Label(text, "heading")
    label.setContentsMargins(0, 8, 0, 0)
    return label


def _centred(sheet: QWidget) -> QWidget:
    whole = QWidget()
    whole.setObjectName("plot")
    row(None, sheet, None, of=whole, margins=(0, 0, 0, 0)).setStretchFactor(sheet, 1000)
    return whole
