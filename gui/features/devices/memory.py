"""Memory: parameters, gradients, optimizer state and activations of each lane at its peak."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt

from core.explain.balance import LaneBalance
from core.explain.lane_memory import MEMORY_COUNTERS
from core.message import N_
from core.override import override
from core.plan.plan import Lane, Role
from gui.features.devices.lane_rows import row_height, rows_seen
from gui.look.text import bytes_text, join_clauses, tr
from gui.look.theme import Theme
from gui.look.writing import CENTRE, RIGHT, write_wrapped
from gui.timeline.paint.ink import Ink
from gui.timeline.state.scene import Scene, name_of_step
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
"""Names on screen of the MEMORY_COUNTERS."""


class MemoryPanel(Sheet):
    """A bar for each compute lane, as long as its peak; its parts are the kinds of memory.

    The parts are those at the moment of the lane's peak in the scene's summed steps, usually the
    described one. Parts that were not recorded are named below.
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
            balance = peaks.get(lane.index)
            if balance is not None:
                words.append(f"{lane.name}: {parts_text(balance)}")
        words.append(note_text(peaks))
        return join_clauses(words)

    @override
    def draw_scene(self, ink: Ink, scene: Scene) -> None:
        peaks = lane_peaks(scene)
        self.draw_heading(ink, heading_text(scene, peaks), step_text(scene))
        self._draw_legend(ink, peaks)
        lanes = scene.trace.header.compute_lanes
        self._draw_lanes(ink, lanes, peaks)
        lower_edge = HEAD + row_height(len(lanes)) * len(lanes)
        self._draw_note(ink, lower_edge + AIR, note_text(peaks))

    def _draw_lanes(self, ink: Ink, lanes: Sequence[Lane], peaks: dict[int, LaneBalance]) -> None:
        """Draw the visible lanes: name, parts of the peak, and their sum."""
        longest = max((lane.name for lane in lanes), key=len)
        names = ink.bold_width(longest) + 12
        left = PAD + names
        right = self.width() - PAD - SIZE
        room = right - left
        most = max((balance.peak_bytes for balance in peaks.values()), default=0)
        for lane, y, high in rows_seen(lanes, HEAD, self.seen):
            name = QRectF(PAD, y, names, high)
            ink.bold(name, lane.name)
            track = QRectF(left, y, room, high)
            ink.fill(track, self.theme.grid)
            balance = peaks.get(lane.index)
            if balance is None:
                continue
            if most:
                self._draw_parts(ink, track, balance.peak_parts, room / most)
                self.spot(track, f"{lane.name}: {parts_text(balance)}")
            size = QRectF(right, y, SIZE, high)
            ink.small(size, bytes_text(balance.peak_bytes), RIGHT)

    def _draw_note(self, ink: Ink, y: float, text: str) -> None:
        note = self.across(y, NOTE)
        ink.painter.setFont(ink.fonts.small)
        top_left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        write_wrapped(ink.painter, self.theme.muted, note, text, top_left)

    def _draw_legend(self, ink: Ink, peaks: dict[int, LaneBalance]) -> None:
        """Draw the legend of the colours, in one line if it fits, else in two columns."""
        names = recorded_parts(peaks)
        titles = [_legend_title(name, peaks) for name in names]
        widths = [SWATCH + 21 + ink.small_width(title) for title in titles]
        fits = sum(widths) <= self.width() - 2 * PAD
        column = max(widths, default=0.0)
        x = PAD
        for number, (name, title) in enumerate(zip(names, titles, strict=True)):
            if fits:
                top = LEGEND
                left = x
            else:
                line, place = divmod(number, 2)
                top = LEGEND - 5 + LINE * line
                left = PAD + column * place
            swatch = QRectF(left, top + 4, SWATCH, SWATCH)
            colour = part_colour(self.theme, name)
            ink.fill(swatch, colour)
            words = QRectF(swatch.right() + 5, top, column, 17)
            ink.small(words, title)
            x += widths[number]

    def _draw_parts(self, ink: Ink, track: QRectF, parts: dict[str, int], scale: float) -> None:
        """Draw the parts from left to right, `scale` pixels a byte, with sizes where they fit."""
        x = track.left()
        for name, size in parts.items():
            if not size:
                continue
            colour = part_colour(self.theme, name)
            width = size * scale
            cell = QRectF(x, track.top(), width, track.height())
            # A pixel of the background remains visible between two parts.
            filled = cell.adjusted(0, 0, -1, 0)
            ink.fill(filled, colour)
            text = bytes_text(size)
            if ink.small_width(text) <= width - 6:
                letters = self.theme.letters_on(colour)
                ink.small(cell, text, CENTRE, letters)
            x += width


def part_colour(theme: Theme, name: str) -> str:
    """Return the colour of one of MEMORY_COUNTERS: the colour of the pass that allocates it."""
    colours = {
        "parameters": theme.other,
        "gradients": theme.backward,
        "optimizer": theme.update,
        "activations": theme.forward,
    }
    return colours[name]


def _legend_title(name: str, peaks: dict[int, LaneBalance]) -> str:
    """Return the title of one of MEMORY_COUNTERS; with "none" if no lane holds any."""
    title = tr(PARTS[name])
    if any(balance.peak_parts.get(name) for balance in peaks.values()):
        return title
    return tr("{part}: none", part=title)


def lane_peaks(scene: Scene) -> dict[int, LaneBalance]:
    """Return the figures of the compute lanes whose memory is known, by lane index."""
    lanes = scene.trace.header.lanes
    peaks: dict[int, LaneBalance] = {}
    for balance in scene.balances:
        lane = lanes[balance.lane]
        if lane.role is Role.COMPUTE and balance.peak_parts:
            peaks[balance.lane] = balance
    return peaks


def recorded_parts(peaks: dict[int, LaneBalance]) -> list[str]:
    """Return the MEMORY_COUNTERS that any lane has recorded, in their order."""
    names: set[str] = set()
    for balance in peaks.values():
        names.update(balance.peak_parts)
    return [name for name in MEMORY_COUNTERS if name in names]


def heading_text(scene: Scene, peaks: dict[int, LaneBalance]) -> str:
    """Return a sentence on the largest peak, or on the fact that none was recorded."""
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
    names = [name_of_step(scene.trace, step) for step in scene.summed_steps]
    if not names:
        return ""
    if len(names) == 1:
        return names[0]
    return tr("{first} to {last}", first=names[0], last=names[-1])


def parts_text(balance: LaneBalance) -> str:
    """Return a lane's peak and its parts: `14.9 MB: parameters 4.2 MB, activations 6.5 MB`."""
    parts = []
    for name, size in balance.peak_parts.items():
        title = tr(PARTS[name])
        parts.append(f"{title} {bytes_text(size)}")
    listed = ", ".join(parts)
    return f"{bytes_text(balance.peak_bytes)}: {listed}"


def note_text(peaks: dict[int, LaneBalance]) -> str:
    """Return a note on memory that the bars do not contain; "" if nothing was recorded."""
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
