"""Memory: parameters, gradients, optimizer state and activations of each lane at its peak."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt

from core.explain.balance import LaneBalance
from core.explain.lane_memory import MEMORY_COUNTERS
from core.message import N_
from core.override import override
from core.plan.plan import Role
from gui.features.devices.lane_rows import row_height, rows_seen
from gui.look.painter import fill
from gui.look.text import bytes_text, tr
from gui.look.theme import Theme
from gui.look.writing import CENTRE, RIGHT, write, write_wrapped
from gui.timeline.layout.fonts import text_width
from gui.timeline.state.scene import Scene, step_name
from gui.widgets.drawing import Ink
from gui.widgets.sheet import PAD, Sheet

HEAD = 62.0
SIZE = 58.0  # width of the column with the sum
LEGEND = 40.0  # upper edge of the legend
LINE = 13.0  # distance between its lines
SWATCH = 9.0
NOTE = 52.0  # height of the note below the lanes
AIR = 8.0
PARTS = {
    "parameters": N_("parameters"),
    "gradients": N_("gradients"),
    "optimizer": N_("optimizer"),
    "activations": N_("activations"),
}
"""Texts of MEMORY_COUNTERS."""


class MemoryPanel(Sheet):
    """A bar for each compute lane, as long as its peak; its parts are the kinds of memory.

    The parts are measured at the moment of the lane's peak in the described step. Parts that were
    not recorded are named below.
    """

    def __init__(self) -> None:
        empty = tr("The memory of each lane appears here with the first step.")
        super().__init__(tr("Memory"), empty)

    @override
    def height_of(self, scene: Scene) -> float:
        lanes = len(scene.trace.header.compute_lanes)
        return HEAD + row_height(lanes) * lanes + AIR + NOTE

    @override
    def words_of(self, scene: Scene) -> str:
        peaks = lane_peaks(scene)
        words = [heading_text(scene, peaks)]
        for lane in scene.trace.header.compute_lanes:
            if lane.index in peaks:
                words.append(f"{lane.name}: {parts_text(peaks[lane.index])}")
        words.append(note_text(peaks))
        return "; ".join(words)

    @override
    def draw_scene(self, ink: Ink, scene: Scene) -> None:
        peaks = lane_peaks(scene)
        self._draw_heading(ink, scene, peaks)
        lanes = scene.trace.header.compute_lanes
        longest = max((lane.name for lane in lanes), key=len)
        names = text_width(ink.fonts.bold, longest) + 12
        most = max((balance.peak_bytes for balance in peaks.values()), default=0)
        room = self.width() - 2 * PAD - names - SIZE
        for lane, y, high in rows_seen(lanes, HEAD, self.seen):
            ink.bold(QRectF(PAD, y, names, high), lane.name)
            track = QRectF(PAD + names, y, room, high)
            fill(ink.painter, track, self.theme.grid)
            balance = peaks.get(lane.index)
            if balance is None:
                continue
            if most:
                self._draw_parts(ink, track, balance.peak_parts, room / most)
                self.spot(track, f"{lane.name}: {parts_text(balance)}")
            size = QRectF(track.right(), y, SIZE, high)
            ink.small(size, bytes_text(balance.peak_bytes), RIGHT)
        lower_edge = HEAD + row_height(len(lanes)) * len(lanes)
        self._draw_note(ink, lower_edge + AIR, note_text(peaks))

    def _draw_note(self, ink: Ink, y: float, text: str) -> None:
        note = QRectF(PAD, y, self.width() - 2 * PAD, NOTE)
        ink.painter.setFont(ink.fonts.small)
        top_left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        write_wrapped(ink.painter, self.theme.muted, note, text, top_left)

    def _draw_heading(self, ink: Ink, scene: Scene, peaks: dict[int, LaneBalance]) -> None:
        wide = self.width() - 2 * PAD
        heading = heading_text(scene, peaks)
        line = QRectF(PAD, 4, wide, 17)
        write(ink.painter, ink.fonts.base, self.theme.text, line, heading)
        ink.small(QRectF(PAD, 21, wide, 15), step_text(scene))
        self._draw_legend(ink, peaks)

    def _draw_legend(self, ink: Ink, peaks: dict[int, LaneBalance]) -> None:
        """Draw the meaning of the colours, in one line if it fits, else in two columns."""
        names = recorded_parts(peaks)
        titles = []
        for name in names:
            title = tr(PARTS[name])
            is_used = any(balance.peak_parts.get(name) for balance in peaks.values())
            if not is_used:
                title = tr("{part}: none", part=title)
            titles.append(title)
        widths = [SWATCH + 21 + text_width(ink.fonts.small, title) for title in titles]
        fits = sum(widths) <= self.width() - 2 * PAD
        column = max(widths, default=0.0)
        x = PAD
        for number, (name, title) in enumerate(zip(names, titles, strict=True)):
            if fits:
                top = LEGEND
                left = x
            else:
                top = LEGEND - 5 + LINE * (number // 2)
                left = PAD + column * (number % 2)
            box = QRectF(left, top + 4, SWATCH, SWATCH)
            fill(ink.painter, box, part_colour(self.theme, name))
            ink.small(QRectF(left + SWATCH + 5, top, column, 17), title)
            x += widths[number]

    def _draw_parts(self, ink: Ink, track: QRectF, parts: dict[str, int], scale: float) -> None:
        """Draw the parts from left to right, `scale` pixels a byte, with sizes where they fit."""
        x = track.left()
        for name, size in parts.items():
            if not size:
                continue
            colour = part_colour(self.theme, name)
            cell = QRectF(x, track.top(), size * scale, track.height())
            # A pixel of the ground remains visible between two parts.
            fill(ink.painter, cell.adjusted(0, 0, -1, 0), colour)
            text = bytes_text(size)
            if text_width(ink.fonts.small, text) <= cell.width() - 6:
                letters = self.theme.letters_on(colour)
                write(ink.painter, ink.fonts.small, letters, cell, text, CENTRE)
            x += cell.width()


def part_colour(theme: Theme, name: str) -> str:
    """Return the colour of one of MEMORY_COUNTERS: the colour of the pass that allocates it."""
    colours = {
        "parameters": theme.other,
        "gradients": theme.backward,
        "optimizer": theme.update,
        "activations": theme.forward,
    }
    return colours[name]


def lane_peaks(scene: Scene) -> dict[int, LaneBalance]:
    """Return the figures of the compute lanes whose memory is known, by lane index."""
    lanes = scene.trace.header.lanes
    peaks: dict[int, LaneBalance] = {}
    for balance in scene.balances:
        if lanes[balance.lane].role is Role.COMPUTE and balance.peak_parts:
            peaks[balance.lane] = balance
    return peaks


def recorded_parts(peaks: dict[int, LaneBalance]) -> list[str]:
    """Return the MEMORY_COUNTERS that any lane has recorded, in their order."""
    names: set[str] = set()
    for balance in peaks.values():
        names.update(balance.peak_parts)
    return [name for name in MEMORY_COUNTERS if name in names]


def heading_text(scene: Scene, peaks: dict[int, LaneBalance]) -> str:
    """Return a sentence on the lane that holds most, or on the lack of records."""
    if not peaks:
        return tr("Memory was not recorded.")
    most = max(peaks.values(), key=lambda balance: balance.peak_bytes)
    size = bytes_text(most.peak_bytes)
    sizes = [balance.peak_bytes for balance in peaks.values()]
    if len(sizes) > 1 and min(sizes) == max(sizes):
        return tr("Each lane holds {size} at its peak", size=size)
    lane = scene.trace.header.lanes[most.lane].name
    return tr("{lane} holds most: {size} at its peak", lane=lane, size=size)


def step_text(scene: Scene) -> str:
    """Return the name of the step that the figures describe, or the first and the last step."""
    warmup = scene.trace.header.specification.warmup
    names = [step_name(step, warmup) for step in scene.summed_steps]
    if not names:
        return ""
    if len(names) == 1:
        return names[0]
    return tr("{first} to {last}", first=names[0], last=names[-1])


def parts_text(balance: LaneBalance) -> str:
    """Return a lane's peak and its parts: `14.9 MB: parameters 4.2 MB, activations 6.5 MB`."""
    parts = []
    for name, size in balance.peak_parts.items():
        parts.append(f"{tr(PARTS[name])} {bytes_text(size)}")
    return f"{bytes_text(balance.peak_bytes)}: {', '.join(parts)}"


def note_text(peaks: dict[int, LaneBalance]) -> str:
    """Return the memory that the bars do not contain."""
    recorded = recorded_parts(peaks)
    if not recorded:
        return ""
    note = tr(
        "Not counted: temporary memory of operations, and memory that an allocator has reserved."
    )
    missing = [tr(PARTS[name]) for name in MEMORY_COUNTERS if name not in recorded]
    if missing:
        note += " " + tr("Not recorded: {parts}.", parts=", ".join(missing))
    return note
