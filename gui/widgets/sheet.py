"""A panel that is painted from a scene, and scrolls where it is higher than its dock."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from gui.look.text import tr
from gui.look.writing import write_wrapped
from gui.timeline.state.scene import Scene
from gui.widgets.drawing import Drawing, Ink
from gui.widgets.layouts import joined, named, widget_of

PAD = 14.0


class Sheet(Drawing):
    """Subclasses draw a scene in `draw_scene`, measure it in `height_of`, tell it in `words_of`."""

    def __init__(self, name: str, empty: str) -> None:
        super().__init__(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.scene: Scene | None = None
        self.empty = empty

    def show_scene(self, scene: Scene | None, live: bool = False) -> None:
        """Show another run, or what has come of this one."""
        self.scene = scene
        # At least: in a high dock a sheet fills the frame,
        # where a Drawing is as high as its content.
        self.setMinimumHeight(int(self.content_height()))
        self.setAccessibleDescription(self.words())
        self.update()

    @property
    def stepped_scene(self) -> Scene | None:
        """The scene, if it has a step to tell of."""
        return self.scene if self.scene is not None and self.scene.trace.steps else None

    def height_of(self, scene: Scene) -> float:
        """Pixels that the content takes."""
        raise NotImplementedError

    def words_of(self, scene: Scene) -> str:
        """The content for screen readers."""
        raise NotImplementedError

    def draw_scene(self, ink: Ink, scene: Scene) -> None:
        """Draw the content."""
        raise NotImplementedError

    def content_height(self) -> float:  # noqa: D102
        return 0 if self.stepped_scene is None else self.height_of(self.stepped_scene)

    def words(self) -> str:  # noqa: D102
        return self._nothing() if self.stepped_scene is None else self.words_of(self.stepped_scene)

    def draw(self, ink: Ink) -> None:  # noqa: D102
        if self.stepped_scene is not None:
            self.draw_scene(ink, self.stepped_scene)
        else:
            area = QRectF(self.rect()).adjusted(PAD, 8, -PAD, -8)
            write_wrapped(ink.painter, self.theme.muted, area, self._nothing())

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(260, 150)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        # None of its own: `show_scene` sets the least
        # height, while Drawing's is the height that it has.
        return QSize(-1, -1)

    def _nothing(self) -> str:
        """Why there is nothing to show."""
        if self.scene is not None and not self.scene.trace.header.source.has_plan:
            return tr("This trace has no steps.")
        return self.empty


def scrolled(*parts: QWidget) -> QScrollArea:
    """Parts below one another in a frame that scrolls them up and down, sheets filling it."""
    box = joined(*parts)
    for part in parts:
        box.setStretchFactor(part, int(isinstance(part, Sheet)))
    return scrolling(widget_of(box, "plot"), ", ".join(part.accessibleName() for part in parts))


def scrolling(whole: QWidget, name: str) -> QScrollArea:
    """A frame as wide as there is room, which scrolls a widget up and down."""
    area = named(QScrollArea(), name)
    scroll_down(area)
    area.setWidget(whole)
    return area


def scroll_down(area: QScrollArea) -> None:
    """Let what is in an area be as wide as there is room, and be scrolled up and down alone."""
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
