"""A page of HTML in one file: no network, one script, light and dark, fit for print.

`Html` is markup that is safe as it stands; everything else is text, and is escaped here. The script
is the timeline's alone: the page says by its checksum that browsers are to run no other.
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
    "plot", "window", "line", "grid", "text", "on_bar", "muted", "accent", "forward", "backward",
    "backward_input", "backward_weight", "communication", "update", "other", "idle", "warning",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under a heading of its own."""

    title: str
    body: Html


def page(title: str, below: str, sections: Iterable[Section]) -> str:
    """A whole document; `below` stands under its title."""
    body = [f"<h1>{escape(title)}</h1>", f'<p class="below">{escape(below)}</p>' if below else ""]
    body += [f"<section><h2>{escape(s.title)}</h2>\n{s.body}</section>" for s in sections]
    # The checksum is of the text between the tags as it stands. Template fills its placeholders
    # once and looks at nothing that it has put in, so a `$` in the script or in a name stays.
    script = TIMELINE.read_text(encoding="utf-8")
    checksum = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
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
    """Write a report. Raises ValueError, in one line, if it cannot be; nothing is left then."""
    try:
        write_whole(path, plain_markup(page(title, below, sections)))
    except OSError as error:
        raise ValueError(str(error)) from error


def joined(*parts: Html) -> Html:
    """Markup behind one another."""
    return Html("\n".join(part for part in parts if part))


def paragraph(text: str, kind: str = "") -> Html:
    """A paragraph, with a class of the style sheet."""
    return Html(f'<p class="{escape(kind)}">{escape(text)}</p>')


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """Names, each with its value."""
    cells = (f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs)
    return Html(f"<dl>{''.join(cells)}</dl>")


def table(header: Sequence[str], rows: Iterable[Sequence[str | Html]], words: int = 1,
          bar: bool = False) -> Html:  # fmt: skip
    """A table whose first `words` columns are text and the others numbers.

    With `bar`, the last cell of each row is markup, as `bar_of` makes it.
    """
    last = len(header) - 1 if bar else len(header)
    # Classes of the page's style sheet: words, bar, numbers.
    kinds = ["w" if n < words else "b" if n >= last else "n" for n in range(len(header))]
    head = "".join(
        f'<th scope="col" class="{kind}">{escape(cell)}</th>'
        for kind, cell in zip(kinds, header, strict=True)
    )
    lines = [
        "".join(
            f'<td class="{kind}">{cell if kind == "b" else escape(cell)}</td>'
            for kind, cell in zip(kinds, row, strict=True)
        )
        for row in rows
    ]
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    scroll = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
    return Html(f'<div class="scroll">{scroll}</div>')


def bar_of(parts: Iterable[tuple[str, float]], before: float = 0.0) -> Html:
    """A bar in a table: of each part a colour of the theme and its share, 0 to 1, of the width.

    It begins at the share `before`.
    """
    spans, space = "", f"margin-left:{100 * before:.2f}%;" if before else ""
    for colour, share in parts:
        width = f"width:{100 * max(0.0, share):.2f}%"
        spans += f'<i style="{space}{width};background:var(--{escape(colour)})"></i>'
        # Only the first part is moved; the others stand behind it.
        space = ""
    return Html(f'<span class="bar">{spans}</span>')


def _variables(theme: Theme) -> str:
    return " ".join(f"--{name}: {getattr(theme, name)};" for name in _COLOURS)
