"""Draws a step as an SVG picture without Qt, for machines that only have torch.

The window and its figures draw the same spans in the same colours (gui.figures), with more detail.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from core.plain import duration_text
from core.plan.task import KINDS, Kind
from core.trace.median_step import median_step, whole_steps
from core.trace.span import Span
from core.trace.trace import Trace

# Widths in px: of the picture, the lanes' names, the margin, a letter, a colour in the legend.
WIDTH = 1000.0
NAMES = 170.0
EDGE = 16.0
LETTER = 7.0
SWATCH = 12.0
# Heights in px: of the title, a lane and its bars, the axis and the legend.
TITLE = 40.0
LANE = 30.0
BAR = 22.0
AXIS = 26.0
LEGEND = 26.0
TICKS = 5
COMMUNICATION = "#772a81"
UPDATE = "#066e4d"
COLOURS = {
    Kind.FORWARD: ("#3875ca",),
    Kind.RECOMPUTE: ("#3875ca",),
    Kind.BACKWARD: ("#ad4e04",),
    Kind.BACKWARD_INPUT: ("#cb800b",),
    Kind.BACKWARD_WEIGHT: ("#612602",),
    Kind.OVERLAP: ("#3875ca", "#ad4e04"),
    Kind.OTHER: ("#5d6b82",),
}
"""Colours of kinds, as in the window; an overlap has two, from top to bottom."""
TEXT = "#171a21"
MUTED = "#5b6474"
GRID = "#eceef2"


def colours_of(kind: Kind) -> tuple[str, ...]:
    """Return the colours of a kind from top to bottom, as `#rrggbb`."""
    others = COMMUNICATION if kind.is_communication else UPDATE
    return COLOURS.get(kind, (others,))


def step_picture(trace: Trace, title: str) -> str:
    """Return the median step of a run as an SVG document; "" for a run without a whole step."""
    steps = whole_steps(trace)
    if not steps:
        return ""
    step = median_step(trace, steps)
    spans: list[Span] = []
    for span in trace:
        if span.step == step and span.end is not None:
            spans.append(span)
    lanes = sorted({span.lane for span in spans})
    begin = min(span.start for span in spans)
    end = max(span.end or 0 for span in spans)
    length = max(1, end - begin)
    scale = (WIDTH - NAMES - 2 * EDGE) / length
    foot = TITLE + LANE * len(lanes)
    height = foot + AXIS + LEGEND + EDGE
    heading = f"{title}: {_step_name(trace, step)}, {duration_text(length)}"
    size = f'width="{WIDTH:.0f}" height="{height:.0f}"'
    font = 'font-family="sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>',
        f'<rect {size} fill="#ffffff"/>',
        _text(EDGE, EDGE + 8, heading, TEXT, size=15),
        *_axis(length, scale, foot),
    ]
    tops: dict[int, float] = {}
    for place, lane in enumerate(lanes):
        top = TITLE + LANE * place
        tops[lane] = top
        name = trace.header.lanes[lane].name
        parts.append(_text(EDGE, top + BAR - 6, name, TEXT))
    for span in spans:
        since_begin = span.start - begin
        left = NAMES + EDGE + since_begin * scale
        parts += _bar(span, left, tops[span.lane], scale)
    present = {span.kind for span in spans}
    parts += _legend(present, foot + AXIS + LEGEND)
    parts += ["</svg>", ""]
    return "\n".join(parts)


def _step_name(trace: Trace, step: int) -> str:
    """Return `step 1` for the first measured step, `warm-up step 1` for the first warm-up step."""
    warmup = trace.header.specification.warmup
    if step < warmup:
        return f"warm-up step {step + 1}"
    return f"step {step - warmup + 1}"


def _axis(length: int, scale: float, foot: float) -> Iterator[str]:
    """Yield vertical lines with their times since the step's start."""
    for tick in range(TICKS + 1):
        time = length * tick / TICKS
        x = NAMES + EDGE + time * scale
        line = f"M{x:.1f} {TITLE:.1f}V{foot:.1f}"
        yield f'<path d="{line}" stroke="{GRID}"/>'
        text = duration_text(time, like=length)
        anchor = "middle"
        if tick == 0:
            text = "0"
            anchor = "start"
        elif tick == TICKS:
            anchor = "end"
        yield _text(x, foot + 14, text, MUTED, anchor=anchor)


def _bar(span: Span, left: float, top: float, scale: float) -> Iterator[str]:
    """Yield a span's bar, with its text if there is room, and a tooltip."""
    assert span.end is not None
    duration = span.end - span.start
    width = max(0.5, duration * scale)
    colours = colours_of(span.kind)
    height = BAR / len(colours)
    tooltip = f"{span.label} {span.kind}, {duration_text(duration)}"
    yield f"<g><title>{escape(tooltip)}</title>"
    for place, colour in enumerate(colours):
        y = top + place * height
        yield _rectangle(left, y, width, height, colour)
    text_width = len(span.label) * LETTER
    if text_width + 4 <= width:
        middle = left + width / 2
        baseline = top + BAR - 7
        yield _text(middle, baseline, span.label, "#ffffff", anchor="middle")
    yield "</g>"


def _legend(present: set[Kind], y: float) -> Iterator[str]:
    """Yield a colour and a name for each kind that is present."""
    x = NAMES + EDGE
    for kind in KINDS:
        if kind not in present:
            continue
        colours = colours_of(kind)
        height = SWATCH / len(colours)
        for place, colour in enumerate(colours):
            top = y - 10 + place * height
            yield _rectangle(x, top, SWATCH, height, colour)
        name = f"{kind.letter} {kind}".strip()
        x += SWATCH + 5
        yield _text(x, y, name, TEXT)
        x += LETTER * len(name) + 14


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    place = f'x="{x:.2f}" y="{y:.1f}"'
    size = f'width="{width:.2f}" height="{height:.1f}"'
    return f'<rect {place} {size} fill="{colour}"/>'


def _text(x: float, y: float, text: str, colour: str, size: int = 12, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}"'
    look = f'fill="{colour}" font-size="{size}" text-anchor="{anchor}"'
    return f"<text {place} {look}>{escape(text)}</text>"
