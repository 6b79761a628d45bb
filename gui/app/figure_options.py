"""Options of a figure, shared by the command line, the window and the painting code."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from core.message import N_
from core.option import flag_of
from core.trace.excerpt import ExcerptOptions
from core.typed import typed

MM_PER_INCH = 25.4


@dataclass(frozen=True, slots=True)
class Preset:
    """A figure for one use: its size on paper, its text and its lines.

    `height_mm` is None if the height follows from the lanes. `scale` applies to PNG files. Figures
    for print (`printed`) are always light.
    """

    name: str
    title: str
    width_mm: float
    height_mm: float | None
    font_pt: float
    line_pt: float
    hatching: bool
    scale: float
    printed: bool


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        # A slide of 13.333 x 7.5 inches. In print 6.25 pixels for each 1/96 inch are 600 dpi.
        Preset("slide", N_("Slide, 16:9"), 338.667, 190.5, 16.0, 1.0, False, 2.0, False),
        Preset("one-column", N_("One column, 85 mm"), 85.0, None, 8.0, 0.5, True, 6.25, True),
        Preset("two-column", N_("Two columns, 178 mm"), 178.0, None, 8.0, 0.5, True, 6.25, True),
        Preset("web", N_("Web page, 190 mm"), 190.0, None, 8.5, 0.6, False, 2.0, False),
    )
}
WIDTHS_MM = (30.0, 2000.0)
FONTS_PT = (4.0, 60.0)
SCALES = (0.25, 20.0)


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """Options of a figure; without a `preset`, it is the timeline as the window shows it.

    None means the preset's value: `width_mm`, `font_pt` (only with a preset), `scale` (pixels of a
    PNG per 1/96 inch) and `hatching` (patterns that distinguish families without colour). `totals`
    are a line with bubble, formula and peak memory below each run (only with a preset). `title` and
    `caption` are made from the run if None, and left out if empty.
    """

    preset: str | None = None
    theme: str = "light"
    width_mm: float | None = None
    font_pt: float | None = None
    scale: float | None = None
    hatching: bool | None = None
    greyscale: bool = False
    legend: bool = True
    axis: bool = True
    makespan: bool = True
    idle: bool = True
    totals: bool = True
    title: str | None = None
    caption: str | None = None
    excerpt: ExcerptOptions = field(default_factory=ExcerptOptions)

    def check(self) -> None:
        """Raise a one-line ValueError for options that cannot be drawn."""
        if self.preset is not None and self.preset not in PRESETS:
            raise ValueError(f"--figure {self.preset}: use {', '.join(PRESETS)}")
        if self.preset is None:
            for name in ("font_pt", "hatching"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{flag_of(name)} is for figures: add --figure one-column")
            if self.greyscale:
                raise ValueError("--greyscale is for figures: add --figure one-column")
        elif self.theme == "dark" and PRESETS[self.preset].printed:
            raise ValueError(
                f"--theme dark is not for --figure {self.preset}, which is printed: use light"
            )
        limits = {"width_mm": WIDTHS_MM, "font_pt": FONTS_PT, "scale": SCALES}
        for name, (least, most) in limits.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ValueError(f"{flag_of(name)} {value:g}: use {least:g} to {most:g}")
        self.excerpt.check()

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values, without the excerpt, which belongs to one run."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "excerpt"}

    @classmethod
    def from_dict(cls, values: dict[str, object]) -> FigureOptions:
        """Return the options for values of `to_dict`. Raises ValueError if they cannot be drawn."""
        try:
            known = {name: values[name] for name in values if name != "excerpt"}
            options: FigureOptions = typed(cls, known)
        except TypeError as error:
            raise ValueError(f"no figure can be made of {values}: {error}") from error
        options.check()
        return options
