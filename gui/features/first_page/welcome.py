"""First page: cards of lessons, samples, recent runs and recordings, and things to try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QScrollArea, QToolButton, QWidget

from core.lessons.lesson import read_heading, shipped
from core.lessons.text import LessonError
from core.message import N_
from core.override import override
from core.recording.recording import is_large, open_recording
from gui.app.jobs import Runner, Work
from gui.app.language import in_language
from gui.app.run import Run
from gui.app.titles import DOT
from gui.features.first_page.card import Card
from gui.features.first_page.card_grid import CardGrid
from gui.features.first_page.samples import RECORDINGS, SAMPLES
from gui.features.first_page.thumbnail import THUMBNAILS, Thumbnail, read_thumbnails, thumbnail_of
from gui.features.runs.columns import run_columns
from gui.features.runs.tabs import title_of
from gui.look.text import tr
from gui.look.theme import LIGHT, Theme
from gui.widgets.label import Label, plain_tip
from gui.widgets.layouts import NO_MARGINS, button, column, grid, named, row, widget_of
from gui.widgets.sheet import scroll_down

WIDEST = 1180
RECENT = 6  # cards of runs and recordings; the File menu has all recordings
MOST_RUNS = 3  # runs among these cards
MOST_GONE = 4  # recent recordings that no longer exist, in a list below the cards
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
        N_("Open the pipeline and select its longest idle gap; Details explains it."),
    ),
    (
        "parallel",
        N_("Compare DP with DDP"),
        N_("DP gathers everything on lane 0; DDP reduces gradients during the backward pass."),
    ),
    (
        "board",
        N_("Make a schedule"),
        N_("Place the passes of a pipeline by hand, solve nine puzzles, and run the result."),
    ),
)


class WelcomePage(QScrollArea):
    """Takes the place of the timeline while no run is shown.

    `opened` carries the path of a recording, `picked` a Run of this session, `taught` the path of a
    lesson, `tried` a name in FIRST_ACTIONS, `forgotten` a path to remove from the recent files.
    """

    opened = Signal(object)
    picked = Signal(object)
    taught = Signal(object)
    tried = Signal(str)
    forgotten = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("First page"))
        scroll_down(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme = LIGHT
        self._thumbnails = _shipped_thumbnails()
        self._grids: list[CardGrid] = []
        self._missing: list[Run | Path] = []
        self._runner = Runner(self, "thumbnails")
        self._runner.done.connect(self._take_thumbnail)
        self.setWidget(_centred(self._build()))
        self.show_recent([], [])

    @property
    def cards(self) -> list[Card]:
        """All cards, from top to bottom."""
        return [card for grid in self._grids for card in grid.cards]

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        for card in self.cards:
            card.set_theme(theme)

    def show_recent(self, runs: Sequence[Run], paths: Sequence[Path]) -> None:
        """Show runs of this session and recordings, the latest of each first.

        Recordings that no longer exist are listed below, to be removed. Samples are left out: they
        have cards already.
        """
        recordings = [path for path in paths if path.parent != RECORDINGS]
        shown_runs = runs[:MOST_RUNS]
        room = RECENT - len(shown_runs)
        existing = [path for path in recordings if path.exists()][:room]
        gone = [path for path in recordings if not path.exists()][:MOST_GONE]
        self._recent_heading.setVisible(bool(shown_runs or existing or gone))
        cards = [self._run_card(run) for run in shown_runs]
        cards += [self._recent_card(path) for path in existing]
        self._recent.show_cards(cards)
        listed: list[Run | Path] = [*shown_runs, *existing]
        self._missing = [one for one in listed if _key(one) not in self._thumbnails]
        self._list_gone(gone)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        # After this paint, because threads would delay it.
        if self._missing:
            QTimer.singleShot(0, self._draw_missing)

    def _draw_missing(self) -> None:
        # Several paints may have scheduled this: only the first call finds something to do.
        missing = self._missing
        self._missing = []
        runs = [one for one in missing if isinstance(one, Run)]
        paths = [one for one in missing if isinstance(one, Path)]
        # Not in a thread: the session may rename or delete runs meanwhile.
        self._runner.add(*map(_run_thumbnail, runs))
        self._runner.add(*map(_file_thumbnail, paths), thread=True)

    def _list_gone(self, gone: Sequence[Path]) -> None:
        item = self._gone.takeAt(0)
        while item is not None:
            # takeAt removes the item from the layout and leaves the widget. It is deleted later, as
            # this may be called from the click of one of these buttons.
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
            item = self._gone.takeAt(0)
        for line, path in enumerate(gone):
            self._gone.addWidget(self._gone_button(path), line, 0)
            self._gone.addWidget(Label(tr("missing"), "quiet"), line, 1)
            self._gone.addWidget(self._remove_button(path), line, 2)

    def _build(self) -> QWidget:
        title = Label("Bubblescope", "welcome")
        sentence = Label(tr(SENTENCE), wrapped=True)
        self._recent_heading = _heading(tr("RECENT RUNS AND RECORDINGS"))
        self._gone = grid(across=12, down=2)
        self._gone.setColumnStretch(3, 1)
        lessons = self._grid(self._lesson_cards())
        samples = self._grid(self._sample_cards())
        self._recent = self._grid([])
        tries = self._grid(self._try_cards())
        words = tr(
            "Or press F5 to run the settings on the left, drop recordings here, or press "
            "Ctrl+Shift+P for everything else."
        )
        hint = Label(words, "quiet", wrapped=True)
        parts: list[Any] = [None, title, sentence]
        parts += [_heading(tr("LESSONS")), lessons]
        parts += [_heading(tr("SAMPLE RECORDINGS")), samples]
        parts += [self._recent_heading, self._recent, self._gone]
        parts += [_heading(tr("THINGS TO TRY")), tries]
        page = column(*parts, hint, None, margins=(20, 12, 20, 12), spacing=7)
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
            except LessonError:  # the tests check all shipped lessons
                continue
            title = tr("{n}. {title}", n=number, title=heading.title)
            slot = partial(self.taught.emit, path)
            card = self._card(title, heading.about, slot, path.name)
            cards.append(card)
        return cards

    def _sample_cards(self) -> list[Card]:
        cards = []
        for sample in SAMPLES:
            slot = partial(self.opened.emit, sample.path)
            card = self._card(tr(sample.title), tr(sample.line), slot, sample.file)
            cards.append(card)
        return cards

    def _try_cards(self) -> list[Card]:
        cards = []
        for name, title, line in FIRST_ACTIONS:
            slot = partial(self.tried.emit, name)
            cards.append(self._card(tr(title), tr(line), slot))
        return cards

    def _run_card(self, run: Run) -> Card:
        _, _, outcome, step = run_columns(run)
        parts = [tr("not saved"), outcome, step]
        line = DOT.join(part for part in parts if part)
        title = title_of(run)
        slot = partial(self.picked.emit, run)
        card = self._card(title, line, slot, _key(run))
        return named(card, tr("Show {run}", run=title), plain_tip(title))

    def _recent_card(self, path: Path) -> Card:
        slot = partial(self.opened.emit, path)
        card = self._card(path.name, str(path.parent), slot, _key(path))
        return named(card, tr("Open {name}", name=path.name), plain_tip(str(path)))

    def _card(self, title: str, line: str, slot: Callable[[], None], picture: str = "") -> Card:
        """Return a card; `picture` is the key of its thumbnail, or "" for a card without one."""
        card = Card(title, line, bool(picture))
        card.set_theme(self._theme)
        card.setObjectName(picture)
        card.show_thumbnail(self._thumbnails.get(picture))
        card.clicked.connect(lambda _=False: slot())
        return card

    def _take_thumbnail(self, found: tuple[str, Thumbnail | None]) -> None:
        key, thumbnail = found
        if thumbnail is not None:
            self._thumbnails[key] = thumbnail
        for card in self._recent.cards:
            if card.objectName() == key:
                card.show_thumbnail(thumbnail)

    def _gone_button(self, path: Path) -> QToolButton:
        name = tr("Open {name}", name=path.name)
        made = button(QToolButton, path.name, plain_tip(str(path)), name=name, look="link")
        made.setEnabled(False)
        return made

    def _remove_button(self, path: Path) -> QToolButton:
        tip = tr("Remove this file from the list.")
        forget = partial(self.forgotten.emit, path)
        name = tr("Remove {name} from the list", name=path.name)
        made = button(QToolButton, "×", tip, forget, name, "close")
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made


def _shipped_thumbnails() -> dict[str, Thumbnail]:
    """Return the thumbnails of lessons and samples; none if their file is missing."""
    try:
        return read_thumbnails(THUMBNAILS)
    except (OSError, ValueError):
        return {}


def _key(shown: Run | Path) -> str:
    """Return the key of the thumbnail of a run or a recording."""
    return f"run {shown.number}" if isinstance(shown, Run) else str(shown)


def _run_thumbnail(run: Run) -> Work[tuple[str, Thumbnail | None]]:
    yield 0.0
    return _key(run), thumbnail_of(run.trace)


def _file_thumbnail(path: Path) -> Work[tuple[str, Thumbnail | None]]:
    """Return the thumbnail of a recording; None if it is large or cannot be read."""
    yield 0.0
    try:
        thumbnail = None if is_large(path) else thumbnail_of(open_recording(path).trace)
    # The error is reported when the user opens the file.
    except (OSError, ValueError, KeyError, MemoryError):
        thumbnail = None
    return _key(path), thumbnail


def _heading(text: str) -> Label:
    label = Label(text, "heading")
    label.setContentsMargins(0, 8, 0, 0)
    return label


def _centred(sheet: QWidget) -> QWidget:
    across = row(None, sheet, None, margins=NO_MARGINS)
    # The sheet grows up to its maximum width; the space on both sides shares the rest.
    across.setStretchFactor(sheet, 1000)
    return widget_of(across, "plot")
