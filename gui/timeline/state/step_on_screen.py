"""Observes which step a timeline shows, so that figures describe that step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gui.timeline.state.navigation import step_on_screen
from gui.timeline.state.timeline import TimelineState


class StepOnScreen(QObject):
    """Sets `Scene.chosen_step` of a timeline's scene, and emits `changed` when it changes.

    While a live run is followed, no step is chosen, and figures describe its latest whole step.
    """

    changed = Signal()

    def __init__(self, state: TimelineState) -> None:
        super().__init__(state)
        self._state = state
        state.view_changed.connect(self._choose)
        state.selection_changed.connect(self._choose)
        state.following_changed.connect(self._choose)

    def _choose(self) -> None:
        state = self._state
        scene = self._state.scene
        if scene is None:
            return
        follows = state.following and state.now is not None
        step = None if follows else step_on_screen(scene, state.viewport, state.selection)
        if step != scene.chosen_step:
            scene.chosen_step = step
            scene.update_figures()
            self.changed.emit()
