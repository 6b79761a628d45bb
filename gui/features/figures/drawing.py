"""Pictures of the run shown, and of other runs below it."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from gui.app.feature import Shell
from gui.features.compare.feature import CompareFeature
from gui.features.figures.panel import Wish
from gui.figures.picture import Picture
from gui.figures.shown import Range, range_between
from gui.figures.timeline import Extras
from gui.look.text import tr
from gui.timeline.state.scene import Scene


class RunDrawing:
    """Draws the window's content as a figure."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._timeline = shell.timeline.state

    def draw(self, wish: Wish) -> Picture:
        """Return the requested picture of the run shown. Raises ValueError if there is no run."""
        from gui.figures.make import figure_of  # not at start-up

        scene = self._timeline.scene
        if scene is None:
            raise ValueError(tr("There is no run to draw."))
        extras = self._extras(wish.options.theme)
        if wish.others:
            from gui.features.figures.several import draw_several

            comparing = self._shell.feature(CompareFeature).under_way
            return draw_several(self._seen(scene), wish, extras, comparing)
        shown = [self._visible(scene)] if wish.visible else []
        return figure_of([self._seen(scene)], wish.options, extras=extras, shown=shown)

    def _seen(self, scene: Scene) -> Scene:
        """Return the scene, without its prediction if that is not shown."""
        # In a shallow copy the prediction can be removed without changing the window's scene.
        seen = copy(scene)
        if not self._timeline.strips.prediction:
            seen.set_prediction(None)
        return seen

    def _extras(self, theme: str) -> Extras:
        strips = self._timeline.strips
        return Extras(
            strips.memory,
            strips.path,
            strips.counters,
            self._timeline.stack.layout,
            self._shell.settings.colours(theme),
        )

    def _visible(self, scene: Scene) -> Range:
        part = self._timeline.viewport
        shown = range_between(scene.trace, round(part.start), round(part.end))
        # The figure's axis has the same zero as the axis on screen.
        return replace(shown, zero=round(self._timeline.frame.origin.zero))
