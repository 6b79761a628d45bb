"""Pictures and animations of the run shown, and of other runs below it."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from core.trace.trace import Trace
from gui.app.animation_options import AnimationOptions
from gui.app.feature import Shell
from gui.app.titles import run_title
from gui.features.compare.comparing import Comparing
from gui.features.compare.feature import CompareFeature
from gui.features.figures.several import draw_several, several_ranges
from gui.features.figures.wish import Wish
from gui.figures.animation import PLAIN, animation_of, animation_picture
from gui.figures.picture import Picture
from gui.figures.shown import Range, range_between
from gui.figures.timeline import Extras
from gui.look.text import tr
from gui.timeline.state.scene import Scene


class RunDrawing:
    """Draws the window's content as a figure or as an animation."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._timeline = shell.timeline.state

    def draw(self, wish: Wish) -> Picture:
        """Return the requested picture of the run shown; for an animation, an AnimationPicture.

        Raises ValueError if there is no run, or if the wish cannot be drawn.
        """
        from gui.figures.make import figure_of  # not at start-up

        scene = self._timeline.scene
        if scene is None:
            raise ValueError(tr("There is no run to draw."))
        seen = self._seen(scene)
        if wish.animation is not None:
            return self._frame(seen, wish, wish.animation)
        extras = self._extras(wish.options.theme)
        if wish.others:
            return draw_several(seen, wish, extras, self._comparing)
        return figure_of([seen], wish.options, extras=extras, shown=self._ranges(seen, wish))

    def _frame(self, scene: Scene, wish: Wish, options: AnimationOptions) -> Picture:
        runs: list[Trace | Scene] = [scene]
        for other in wish.others:
            runs.append(other.trace)
        extras = replace(PLAIN, colours=self._shell.settings.colours(wish.options.theme))
        animation = animation_of(runs, options, self._ranges(scene, wish), extras)
        return animation_picture(animation, run_title(scene.trace))

    def _ranges(self, scene: Scene, wish: Wish) -> list[Range]:
        """Return the time range of each run; [] leaves the choice to the options."""
        if wish.others:
            return several_ranges(scene, wish, self._comparing)
        return [self._visible(scene)] if wish.visible else []

    @property
    def _comparing(self) -> Comparing | None:
        return self._shell.feature(CompareFeature).under_way

    def _seen(self, scene: Scene) -> Scene:
        """Return the scene, without its prediction if the timeline does not show it."""
        # A shallow copy: removing its prediction does not change the window's scene.
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
