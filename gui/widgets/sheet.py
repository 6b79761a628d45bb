"""A panel that is painted from a scene, and scrolls if it is higher than its dock."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from core.override import override
from gui.look.text import tr
from gui.look.writing import write_wrapped
from gui.timeline.paint.ink import Ink
from gui.timeline.state.scene import Scene
from gui.widgets.drawing import Drawing
from gui.widgets.layouts import joined, named, widget_of

PAD = 14.0


class Sheet(Drawing):
    """A painted panel. Subclasses define `draw_scene`, `height_of` and `words_of`."""

    margin = PAD

    def __init__(self, name: str, empty: str) -> None:
        super().__init__(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.scene: Scene | None = None
        self.empty = empty

    def show_scene(self, scene: Scene | None, live: bool = False) -> None:
        """Show another scene, or new data of the current one."""
        self.scene = scene
        # Only a minimum: in a high dock a sheet fills the frame, while a Drawing is as high as its
        # content.
        self.setMinimumHeight(int(self.content_height()))
        self.setAccessibleDescription(self.words())
        self.update()

    @property
    def stepped_scene(self) -> Scene | None:
        """The scene, if it has a step."""
        if self.scene is None or not self.scene.trace.steps:
            return None
        return self.scene

    def height_of(self, scene: Scene) -> float:
        """Return the content's height in pixels."""
        raise NotImplementedError

    def words_of(self, scene: Scene) -> str:
        """Return a description of the content for screen readers."""
        raise NotImplementedError

    def draw_scene(self, ink: Ink, scene: Scene) -> None:
        """Draw the content."""
        raise NotImplementedError

    @override
    def content_height(self) -> float:
        scene = self.stepped_scene
        return 0 if scene is None else self.height_of(scene)

    @override
    def words(self) -> str:
        scene = self.stepped_scene
        return self._nothing() if scene is None else self.words_of(scene)

    @override
    def draw(self, ink: Ink) -> None:
        scene = self.stepped_scene
        if scene is not None:
            self.draw_scene(ink, scene)
            return
        area = QRectF(self.rect()).adjusted(PAD, 8, -PAD, -8)
        write_wrapped(ink.painter, self.theme.muted, area, self._nothing())

    def draw_heading(self, ink: Ink, heading: str, step: str) -> None:
        """Draw a heading, and below it the step that the figures describe."""
        line = self.across(4, 17)
        ink.base(line, heading)
        below = self.across(21, 15)
        ink.small(below, step)

    @override
    def sizeHint(self) -> QSize:
        return QSize(260, 150)

    @override
    def minimumSizeHint(self) -> QSize:
        # No limit here: `show_scene` sets the minimum, while Drawing returns its current height.
        return QSize(-1, -1)

    def _nothing(self) -> str:
        """Return the text that is shown if there is no content."""
        scene = self.scene
        if scene is None:
            return self.empty
        if scene.concealed:
            return scene.concealed
        if not scene.trace.header.source.has_plan:
            return tr("This trace has no steps.")
        return self.empty


def scrolled(*parts: QWidget) -> QScrollArea:
    """Return parts below one another in a vertically scrolling frame; sheets fill free space."""
    box = joined(*parts)
    for part in parts:
        box.setStretchFactor(part, int(isinstance(part, Sheet)))
    name = ", ".join(part.accessibleName() for part in parts)
    return scrolling(widget_of(box, "plot"), name)


def scrolling(whole: QWidget, name: str) -> QScrollArea:
    """Return a frame that scrolls a widget vertically; the widget is as wide as the frame."""
    area = named(QScrollArea(), name)
    scroll_down(area)
    area.setWidget(whole)
    return area


def scroll_down(area: QScrollArea) -> None:
    """Make an area's content as wide as the area, and scrollable only vertically."""
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
