"""A self-contained HTML page: no network, one script, light and dark, printable.

`Html` is finished markup; every `str` is text, and is escaped here. The page's only script is the
timeline's: a checksum in the page keeps browsers from running any other.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import NewType

from core.files import write_whole
from core.paths import RESOURCES
from core.plain import plain_markup
from gui.app.language import spoken
from gui.look.theme import DARK, LIGHT, Theme

Html = NewType("Html", str)
NOTHING = Html("")
PAGE, TIMELINE = (RESOURCES / "report" / name for name in ("page.html", "timeline.js"))
_COLOURS = (
    "plot",
    "window",
    "line",
    "grid",
    "text",
    "on_bar",
    "muted",
    "accent",
    "forward",
    "backward",
    "backward_input",
    "backward_weight",
    "communication",
    "update",
    "other",
    "idle",
    "warning",
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report, with its heading."""

    title: str
    body: Html


def page(title: str, below: str, sections: Iterable[Section]) -> str:
    """Return a whole document; `below` is the line under its title."""
    body = [f"<h1>{escape(title)}</h1>"]
    if below:
        body.append(f'<p class="below">{escape(below)}</p>')
    for section in sections:
        heading = f"<h2>{escape(section.title)}</h2>"
        body.append(f"<section>{heading}\n{section.body}</section>")
    # The checksum covers the exact text between the tags. Template does not look for placeholders
    # in the values that it inserts, so a `$` in the script or in a name is kept.
    script = TIMELINE.read_text(encoding="utf-8")
    digest = hashlib.sha256(script.encode()).digest()
    checksum = base64.b64encode(digest).decode()
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        script=script,
        checksum=checksum,
        title=escape(title),
        language=spoken().replace("_", "-"),
        light=_variables(LIGHT),
        dark=_variables(DARK),
        body="\n".join(body),
    )


def write_page(path: Path, title: str, below: str, sections: Iterable[Section]) -> None:
    """Write a report; raise a one-line ValueError and leave no file if it cannot be written."""
    try:
        write_whole(path, plain_markup(page(title, below, sections)))
    except OSError as error:
        raise ValueError(str(error)) from error


def joined(*parts: Html) -> Html:
    """Concatenate markup."""
    return Html("\n".join(part for part in parts if part))


def paragraph(text: str, kind: str = "") -> Html:
    """Return a paragraph; `kind` is its class in the style sheet."""
    return Html(f'<p class="{escape(kind)}">{escape(text)}</p>')


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """Return a list of names and values."""
    cells = ""
    for name, value in pairs:
        cells += f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
    return Html(f"<dl>{cells}</dl>")


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str | Html]],
    words: int = 1,
    bar: bool = False,
) -> Html:
    """Return a table with `words` columns of text, then columns of numbers.

    With `bar`, the last column is for markup from `bar_of`.
    """
    # Classes of the page's style sheet: words, numbers, bar.
    numbers = len(header) - words
    kinds = ["w"] * words + ["n"] * numbers
    if bar:
        kinds[-1] = "b"
    head = ""
    for kind, title in zip(kinds, header, strict=True):
        head += f'<th scope="col" class="{kind}">{escape(title)}</th>'
    lines = []
    for row in rows:
        line = ""
        for kind, cell in zip(kinds, row, strict=True):
            markup = cell if kind == "b" else escape(cell)
            line += f'<td class="{kind}">{markup}</td>'
        lines.append(f"<tr>{line}</tr>\n")
    body = "".join(lines)
    whole = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
    return Html(f'<div class="scroll">{whole}</div>')


def bar_of(parts: Iterable[tuple[str, float]], before: float = 0.0) -> Html:
    """Return a bar of parts, each given as a field of Theme and a share, 0 to 1, of the width.

    The bar begins at the share `before`.
    """
    spans = ""
    space = f"margin-left:{100 * before:.2f}%;" if before else ""
    for colour, share in parts:
        width = f"width:{100 * max(0.0, share):.2f}%"
        spans += f'<i style="{space}{width};background:var(--{escape(colour)})"></i>'
        # Only the first part needs a margin; the others follow it.
        space = ""
    return Html(f'<span class="bar">{spans}</span>')


def _variables(theme: Theme) -> str:
    variables = []
    for name in _COLOURS:
        colour = getattr(theme, name)
        variables.append(f"--{name}: {colour};")
    return " ".join(variables)
