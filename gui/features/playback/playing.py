"""Playback of the run that is shown: chooses the films, and shows their moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from core.playback.film import lead_at
from gui.app.feature import Shell
from gui.app.titles import shared_title
from gui.features.compare.feature import CompareFeature
from gui.features.playback.bar import PlaybackBar
from gui.features.playback.layer import PlaybackLayer
from gui.features.playback.player import Player
from gui.look.text import tr
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.playback import SceneFilm, lead_text
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange

TURNED = 0.1  # share of the view left of the now-line after the view has been moved to it


class Playing(QObject):
    """Plays the step on screen, or a selected range, in the timeline of a window."""

    def __init__(self, shell: Shell, bar: PlaybackBar, player: Player) -> None:
        super().__init__(shell.main_window)
        self._shell = shell
        self._view = shell.timeline
        self._player = player
        self._bar = bar
        self._layer = PlaybackLayer(shell.timeline)
        self._layer.dragged.connect(self._drag)
        self._layer_b: PlaybackLayer | None = None
        self._names: Sequence[str] = ("", "")
        player.moved.connect(self._show_moment)
        bar.closed.connect(self.close)

    @property
    def film(self) -> SceneFilm | None:
        """The film of the run shown, while playback is open."""
        return self._layer.film

    def open(self) -> bool:
        """Show the start of the step on screen; return False if there is nothing to play."""
        race = self._race()
        film = film_on_screen(self._view) if race is None else race[0]
        if film is None:
            self._shell.note(tr("There is nothing to play yet: press Run, or open a recording."))
            return False
        self._layer.show_film(film)
        if race is not None and self._layer_b is not None:
            self._layer_b.show_film(race[1])
        films = [film] if race is None else list(race)
        self._player.load([one.film for one in films])
        self._bar.offer_speeds()
        self._bar.show()
        return True

    @property
    def is_covered(self) -> bool:
        """True while another page, such as the board, is in front of a run."""
        return self._shell.run_shown is not None and not self._shell.centre.shows_run_page

    def toggle(self) -> None:
        """Play or pause; if no film is open, open the film of the step on screen first.

        Nothing plays while another page is in front of the run.
        """
        if self._player.playing or self.is_covered:
            self._player.pause()
        elif self.film is not None or self.open():
            self._player.play()

    def at_event(self, go: Callable[[], None]) -> None:
        """Call `go`, which moves to an event; if no film is open, open one first."""
        if self.is_covered:
            return
        if self.film is not None or self.open():
            go()

    def close(self) -> None:
        """Leave playback."""
        if self.film is None:
            return
        self._player.load(())
        self._layer.show_film(None)
        if self._layer_b is not None:
            self._layer_b.show_film(None)
        self._bar.hide()
        self._view.setFocus()

    def follow_step(self, scene: Scene) -> None:
        """Leave playback if the user has gone to another step."""
        film = self.film
        if film is None or scene.chosen_step is None or film.step is None:
            return
        start, end = film.scene.trace.step_bounds(film.step)
        if film.film.start < start or end < film.film.end:
            return  # a range of several steps: playback itself moves from one step to the next
        if film.scene is not scene or film.step != scene.chosen_step:
            self.close()

    def _race(self) -> tuple[SceneFilm, SceneFilm] | None:
        """Return the films of the two compared steps; None unless two runs are compared."""
        comparing = self._shell.feature(CompareFeature).under_way
        if comparing is None or comparing.two is None:
            return None
        below = comparing.frame.b
        scene_a = self._view.state.scene
        scene_b = below.state.scene
        if scene_a is None or scene_b is None:
            return None
        if self._layer_b is None:
            self._layer_b = PlaybackLayer(below)
            self._layer_b.dragged.connect(self._drag_b)
            comparing.begun.connect(self.close)
            comparing.left.connect(self.close)
        _, self._names = shared_title([scene_a.trace, scene_b.trace])
        two = comparing.two
        film_a = SceneFilm.of_step(scene_a, two.step_a)
        film_b = SceneFilm.of_step(scene_b, two.step_b)
        return film_a, film_b

    def _drag(self, time: float) -> None:
        film = self.film
        if film is not None:
            self._player.pause()
            self._player.seek(time - film.film.start)

    def _drag_b(self, time: float) -> None:
        film = None if self._layer_b is None else self._layer_b.film
        if film is not None:
            self._player.pause()
            self._player.seek(time - film.film.start)

    def _show_moment(self) -> None:
        film = self.film
        if film is None:
            return
        time = film.film.start + self._player.time
        self._layer.show_time(time, self._player.speed)
        other = None if self._layer_b is None else self._layer_b.film
        text = ""
        if self._layer_b is not None and other is not None:
            time_b = other.film.start + self._player.time
            self._layer_b.show_time(time_b, self._player.speed)
            length_a = film.film.length
            length_b = other.film.length
            lead = lead_at((length_a, length_b), self._player.time)
            if lead:
                name_a, name_b = self._names
                first = name_a if length_a < length_b else name_b
                text = lead_text(first, lead)
        self._bar.note.setText(text)
        if self._player.playing:
            self._keep_visible(self._layer.time)

    def _keep_visible(self, time: float) -> None:
        """Move the view on if the now-line has left it."""
        state = self._view.state
        view = state.viewport
        if not view.start <= time <= view.end:
            state.go_to(turned(view, time), "playback")


def turned(view: Viewport, time: float) -> Viewport:
    """Return a view of the same length in which `time`, in ns, is near the left edge."""
    return view.panned(view.x(time) - TURNED * view.width)


def film_on_screen(view: TimelineView) -> SceneFilm | None:
    """Return a film of the selected range, or else of the described step, or of the visible time.

    If several steps are on screen, the view is fitted to the described one. Returns None if there
    is nothing to play.
    """
    state = view.state
    scene = view.state.scene
    if scene is None or scene.trace.is_empty:
        return None
    step = scene.described
    chosen = state.selection
    if isinstance(chosen, TimeRange) and chosen.end > chosen.start:
        return SceneFilm.between(scene, chosen.start, chosen.end, step)
    if step is not None:
        start, end = scene.trace.step_bounds(step)
        if scene.chosen_step is None and end > start:
            view.navigator.fit_between(start, end)
    else:
        first, last = scene.bounds
        start = max(first, round(state.viewport.start))
        end = min(last, round(state.viewport.end))
    if end <= start:
        return None
    return SceneFilm.between(scene, start, end, step)
