"""Playback bar below a timeline, with its buttons."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QToolButton, QWidget

from core.playback.speed import REAL_TIME, SPEEDS, speed_text
from gui.features.playback.player import Player
from gui.look.text import duration_text, tr
from gui.widgets.fields import Choice, WheelGuard
from gui.widgets.label import Elided, Label
from gui.widgets.layouts import button, named, row


class PlaybackBar(QWidget):
    """Buttons for a `player`; `closed` is emitted when the user leaves playback.

    `note` is a label for a text that compares two films which play on one clock.
    """

    closed = Signal()

    def __init__(self, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("playback")
        self._player = player
        self.play = button(QToolButton, "", tr("Play the step, or stop (Space)."), self._toggle)
        words = (_play_text(True), _play_text(False))
        self.play.setObjectName("stop")  # gives it the look of a button with an outline
        self.play.setText(max(words, key=len))
        # Wide enough for both texts, so that the other buttons stay where they are.
        self.play.setMinimumWidth(self.play.sizeHint().width() + 12)
        self.previous = button(
            QToolButton,
            tr("Previous event"),
            tr("Go to the last start or end of a task (Shift+,)."),
            player.previous_event,
        )
        self.next = button(
            QToolButton,
            tr("Next event"),
            tr("Go to the next start or end of a task (Shift+.)."),
            player.next_event,
        )
        self.speed = named(Choice(), tr("Speed"), tr("The speed of playback."))
        self.speed.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        WheelGuard(self.speed)
        self.speed.activated.connect(lambda place: player.set_speed(self.speed.itemData(place)))
        self.loop = QCheckBox(tr("Loop"))
        self.loop.setToolTip(tr("Start over at the end of the step."))
        self.loop.toggled.connect(player.set_loops)
        # Elided, so that the bar does not widen a narrow window.
        self.position = Elided("quiet")
        self.note = Label(look="said")
        self.close_button = button(
            QToolButton, "✕", tr("Leave playback."), self.closed.emit, tr("Leave playback")
        )
        row(
            self.play,
            self.previous,
            self.next,
            6,
            self.speed,
            6,
            self.loop,
            10,
            self.position,
            self.note,
            6,
            self.close_button,
            of=self,
            growing=self.position,
            margins=(14, 1, 8, 1),  # low, because the timeline above needs half of the window
            spacing=4,
        )
        player.moved.connect(self._show_position)
        player.changed.connect(self._show_state)
        self._start_speed = 0.0
        self._show_state()
        self.hide()

    def offer_speeds(self) -> None:
        """Offer the start speed of the films that were loaded, and the usual speeds."""
        chosen = self._player.speed
        self.speed.clear()
        seconds = self._player.length / chosen / 1e9
        start = tr(
            "speed {speed} · {seconds} s", seconds=f"{seconds:.0f}", speed=speed_text(chosen)
        )
        if chosen < REAL_TIME:
            self.speed.addItem(start, chosen)
        for speed in SPEEDS:
            title = tr("speed {speed}", speed=speed_text(speed))
            self.speed.addItem(tr("real time") if speed == REAL_TIME else title, speed)
        self._show_state()

    def _toggle(self) -> None:
        if self._player.playing:
            self._player.pause()
        else:
            self._player.play()

    def _show_state(self) -> None:
        player = self._player
        self.play.setText(_play_text(player.playing))
        self.loop.setChecked(player.loops)
        self.speed.setCurrentIndex(self.speed.findData(player.speed))
        self._show_position()

    def _show_position(self) -> None:
        player = self._player
        time = duration_text(player.time, like=player.length)
        whole = duration_text(player.length)
        text = tr("{time} of {whole}", time=time, whole=whole)
        if text != self.position.text():
            self.position.setText(text)


def _play_text(playing: bool) -> str:
    if playing:
        return "▮▮ " + tr("Pause")
    return "▶ " + tr("Play")
