"""Playback: the step on screen in slow motion; a short first run is played automatically."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QWidget,
)

from core.engine.messages import Outcome
from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu, Shell, Style
from gui.app.run import Run
from gui.features.playback.bar import PlaybackBar
from gui.features.playback.player import Player
from gui.features.playback.playing import Playing
from gui.timeline.state.scene import Scene

SHORT_NS = 2_000_000_000  # a shorter run ends before the user has seen anything of it
USE_SPACE = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox)
"""Widgets that use the space bar themselves."""


class PlaybackFeature(Feature):
    """The bar below the timeline and the actions of playback."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.player = Player(self)
        self.bar = PlaybackBar(self.player)
        self.playing = Playing(shell, self.bar, self.player)
        self._first_has_ended = False

    @property
    def groups(self) -> Sequence[Group]:
        player = self.player
        actions = (
            Action(
                "play",
                N_("Play or pause"),
                self.playing.toggle,
                "Space",
                N_("Play the step on screen, or the selected range, in slow motion."),
            ),
            Action(
                "next_event",
                N_("Next event"),
                lambda: self.playing.at_event(player.next_event),
                "Shift+.",
                N_("Move playback to the next start or end of a task."),
            ),
            Action(
                "previous_event",
                N_("Previous event"),
                lambda: self.playing.at_event(player.previous_event),
                "Shift+,",
                N_("Move playback to the previous start or end of a task."),
            ),
            Action(
                "play_loop",
                N_("Loop"),
                player.set_loops,
                "",
                N_("Start over at the end of the step."),
                Style.CHECK,
            ),
            Action(
                "play_first_run",
                N_("Play the first run"),
                self._set_plays_first_run,
                "",
                N_("Play the first run of a session automatically if it was very short."),
                Style.CHECK,
            ),
            Action(
                "leave_playback",
                N_("Leave playback"),
                self.playing.close,
                "Shift+Space",
                N_("Show the whole step again."),
            ),
        )
        return (Group(Menu.GO, actions),)

    def start(self) -> None:
        loop = self.shell.action("play_loop")
        self.player.changed.connect(lambda: loop.setChecked(self.player.loops))
        self.shell.action("play_first_run").setChecked(self.shell.settings.play_first_run)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._yield_space)

    def show_run(self, run: Run | None) -> None:
        self.playing.close()

    def end_run(self, run: Run) -> None:
        is_shown = run is self.shell.run_shown
        if not is_shown or run.outcome is not Outcome.FINISHED or self._first_has_ended:
            return
        self._first_has_ended = True
        start, end = run.trace.bounds
        is_short = end - start < SHORT_NS
        if self.shell.settings.play_first_run and is_short:
            # Later, when the view has settled on a step.
            QTimer.singleShot(0, self, self._play_first_run)

    def show_step(self, scene: Scene, live: bool) -> None:
        self.playing.follow_step(scene)

    def close(self) -> None:
        self.player.pause()

    def _play_first_run(self) -> None:
        if self.playing.film is None:
            self.playing.toggle()

    def _set_plays_first_run(self, plays: bool) -> None:
        self.shell.settings.play_first_run = plays

    def _yield_space(self, old: QWidget | None, new: QWidget | None) -> None:
        """Leave the space bar to the widget with the focus if it uses that, as buttons do."""
        context = Qt.ShortcutContext.WindowShortcut
        if isinstance(new, USE_SPACE):
            # With this context a shortcut works only while its own widget has the focus.
            context = Qt.ShortcutContext.WidgetShortcut
        self.shell.action("play").setShortcutContext(context)
