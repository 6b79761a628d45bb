"""The first page: lessons, samples, things to try and the last runs, each with what it opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QScrollArea, QToolButton, QWidget

from core.lessons.lesson import LessonError, read_heading, shipped
from core.message import N_
from core.recording.recording import is_large, open_recording
from gui.app.jobs import Runner, Work
from gui.app.language import in_language
from gui.features.first_page.card import Card
from gui.features.first_page.card_grid import CardGrid
from gui.features.first_page.samples import RECORDINGS, SAMPLES
from gui.features.first_page.thumbnail import THUMBNAILS, Thumbnail, read_thumbnails, thumbnail_of
from gui.look.text import tr
from gui.look.theme import LIGHT, Theme
from gui.widgets.label import Label, plain_tip
from gui.widgets.layouts import button, column, grid, named, row, widget_of
from gui.widgets.sheet import scroll_down

WIDEST = 1180
RECENT = 4  # recordings that are shown; the File menu has them all
SENTENCE = N_(
    "Runs a training step in parallel on this machine's devices and shows what every device does, "
    "when it waits, and why."
)
FIRST_ACTIONS = (
    (
        "schedules",
        N_("Run GPipe, then 1F1B"),
        N_("Two short pipelines on 4 lanes, then one above the other on one axis."),
    ),
    (
        "bubble",
        N_("Find the longest bubble"),
        N_("Opens the pipeline and selects its longest idle gap; Details says why it is there."),
    ),
    (
        "parallel",
        N_("Compare DP with DDP"),
        N_("One gathers all on lane 0, the other reduces while it computes."),
    ),
)


class WelcomePage(QScrollArea):
    """Stands where the timeline does while nothing is shown.

    `opened` carries a recording's path, `taught` a lesson's, `tried` a name in FIRST_ACTIONS,
    `forgotten` a path that shall not be listed any more.
    """

    opened = Signal(object)
    taught = Signal(object)
    tried = Signal(str)
    forgotten = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("First page"))
        scroll_down(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme = LIGHT
        self._small = _shipped_thumbnails()
        self._grids: list[CardGrid] = []
        self._wanted: list[Path] = []
        self._runner = Runner(self, "thumbnails")
        self._runner.done.connect(self._take_thumbnail)
        self.setWidget(_centred(self._build()))
        self.show_recent([])

    @property
    def cards(self) -> list[Card]:
        """All cards, in their order."""
        return [card for grid in self._grids for card in grid.cards]

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        for card in self.cards:
            card.set_theme(theme)

    def show_recent(self, paths: Sequence[Path]) -> None:
        """Show the recordings that were opened or saved last; those that are gone can be removed.

        Samples have cards of their own.
        """
        own = [path for path in paths if path.parent != RECORDINGS]
        there = [path for path in own if path.exists()][:RECENT]
        gone = [path for path in own if not path.exists()][:RECENT]
        self._recent_heading.setVisible(bool(there or gone))
        self._recent.show_cards([self._recent_card(path) for path in there])
        self._wanted = [path for path in there if str(path) not in self._small]
        # takeAt gives back the layout's item and leaves the widget where it is. It goes later, as
        # this may be called from the click of one of these very buttons.
        while (item := self._gone.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for line, path in enumerate(gone):
            self._gone.addWidget(self._gone_button(path), line, 0)
            self._gone.addWidget(Label(tr("missing"), "quiet"), line, 1)
            self._gone.addWidget(self._remove_button(path), line, 2)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        super().paintEvent(event)
        if self._wanted:  # once this is painted: a thread beside it would hold it up
            QTimer.singleShot(0, self._draw_wanted)

    def _draw_wanted(self) -> None:
        # Several paints may have asked for this before its first turn.
        wanted, self._wanted = self._wanted, []
        self._runner.add(*map(_thumbnail, wanted), thread=True)

    def _build(self) -> QWidget:
        title = Label("Bubblescope", "welcome")
        sentence = Label(tr(SENTENCE), wrapped=True)
        self._recent_heading = _heading(tr("LAST RUNS"))
        self._gone = grid(across=12, down=2)
        self._gone.setColumnStretch(3, 1)
        lessons, samples = self._grid(self._lesson_cards()), self._grid(self._sample_cards())
        self._recent, tries = self._grid([]), self._grid(self._try_cards())
        words = tr(
            "Or press F5 to run what the form on the left says, drop recordings here, or press "
            "Ctrl+Shift+P for everything else."
        )
        hint = Label(words, "quiet", wrapped=True)
        page = column(
            None, title, sentence,
            _heading(tr("LESSONS")), lessons,
            _heading(tr("SAMPLE RECORDINGS")), samples,
            self._recent_heading, self._recent, self._gone,
            _heading(tr("THREE THINGS TO TRY")), tries,
            hint, None,
            margins=(20, 12, 20, 12), spacing=7,
        )  # fmt: skip
        sheet = widget_of(page, "plot")
        sheet.setMaximumWidth(WIDEST)
        return sheet

    def _grid(self, cards: Sequence[Card]) -> CardGrid:
        grid = CardGrid()
        grid.show_cards(cards)
        self._grids.append(grid)
        return grid

    def _lesson_cards(self) -> list[Card]:
        cards = []
        for number, path in enumerate(shipped(), 1):
            try:
                heading = read_heading(in_language(path))
            except LessonError:  # a check of them all stands in the tests
                continue
            title = tr("{n}. {title}", n=number, title=heading.title)
            slot = partial(self.taught.emit, path)
            cards.append(self._card(title, heading.about, slot, path.name))
        return cards

    def _sample_cards(self) -> list[Card]:
        return [
            self._card(tr(one.title), tr(one.line), partial(self.opened.emit, one.path), one.file)
            for one in SAMPLES
        ]

    def _try_cards(self) -> list[Card]:
        return [
            self._card(tr(title), tr(line), partial(self.tried.emit, name))
            for name, title, line in FIRST_ACTIONS
        ]

    def _recent_card(self, path: Path) -> Card:
        slot = partial(self.opened.emit, path)
        card = self._card(path.name, str(path.parent), slot, str(path))
        return named(card, tr("Open {name}", name=path.name), plain_tip(str(path)))

    def _card(self, title: str, line: str, slot: Callable[[], None], picture: str = "") -> Card:
        """A card; `picture` is the name of its thumbnail."""
        card = Card(title, line, bool(picture))
        card.set_theme(self._theme)
        card.setObjectName(picture)
        card.show_thumbnail(self._small.get(picture))
        card.clicked.connect(lambda _=False: slot())
        return card

    def _take_thumbnail(self, found: tuple[Path, Thumbnail | None]) -> None:
        path, small = found
        if small is not None:
            self._small[str(path)] = small
        for card in self._recent.cards:
            if card.objectName() == str(path):
                card.show_thumbnail(small)

    def _gone_button(self, path: Path) -> QToolButton:
        name = tr("Open {name}", name=path.name)
        made = button(QToolButton, path.name, plain_tip(str(path)), name=name, look="link")
        made.setEnabled(False)
        return made

    def _remove_button(self, path: Path) -> QToolButton:
        tip, forget = tr("Take this file off the list."), partial(self.forgotten.emit, path)
        name = tr("Remove {name} from the list", name=path.name)
        made = button(QToolButton, "×", tip, forget, name, "close")
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made


def _shipped_thumbnails() -> dict[str, Thumbnail]:
    """Those that come with the app; without its file cards have none."""
    try:
        return read_thumbnails(THUMBNAILS)
    except (OSError, ValueError):
        return {}


def _thumbnail(path: Path) -> Work[tuple[Path, Thumbnail | None]]:
    """What a recording shows in small; None of one that is large, or cannot be read."""
    yield 0.0
    try:
        small = None if is_large(path) else thumbnail_of(open_recording(path).trace)
    except (OSError, ValueError, KeyError, MemoryError):  # it is told when the file is opened
        small = None
    return path, small


def _heading(text: str) -> Label:
    label = Label(text, "heading")
    label.setContentsMargins(0, 8, 0, 0)
    return label


def _centred(sheet: QWidget) -> QWidget:
    across = row(None, sheet, None, margins=(0, 0, 0, 0))
    # The page takes all the width, up to its maximum; what is left then lies on both sides.
    across.setStretchFactor(sheet, 1000)
    return widget_of(across, "plot")
