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
TIMELINE = RESOURCES / "report" / "timeline.js"
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
    return Template(PAGE).substitute(
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
        space = ""
    return Html(f'<span class="bar">{spans}</span>')


def _variables(theme: Theme) -> str:
    return " ".join(f"--{name}: {getattr(theme, name)};" for name in _COLOURS)


PAGE = """<!DOCTYPE html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-$checksum'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Bubblescope">
<title>$title</title>
<style>
:root { color-scheme: light dark; $light }
@media (prefers-color-scheme: dark) { :root { $dark } }
@media print { :root { color-scheme: light; $light } }
:root.printed { color-scheme: light; $light }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 28px 24px 48px; max-width: 1060px; background: var(--plot);
  color: var(--text); font: 14px/1.45 system-ui, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 22px; margin: 0; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 34px 0 10px; padding-bottom: 5px;
  border-bottom: 1px solid var(--line); }
p { margin: 6px 0; max-width: 80ch; overflow-wrap: anywhere; }
.below, .note { color: var(--muted); }
.lead { font-size: 15px; }
.warning { border-left: 3px solid var(--warning); padding: 4px 10px; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr));
  gap: 12px 22px; margin: 10px 0; }
dt { color: var(--muted); font-size: 12px; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 0 0 14px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; font-size: 12px; color: var(--muted);
  padding: 4px 12px 4px 0; white-space: nowrap; border-bottom: 1px solid var(--line); }
td { text-align: right; padding: 3px 12px 3px 0; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
td.w, th.w { text-align: left; }
td.w { white-space: normal; overflow-wrap: anywhere; }
td.b, th.b { width: 42%; min-width: 160px; padding-right: 0; text-align: left; }
.bar { display: flex; height: 12px; background: var(--window); overflow: hidden; }
.bar i { flex: none; height: 100%; border-right: 1px solid var(--plot); }
figure { margin: 0; }
.timeline { position: relative; }
.timeline canvas { display: block; width: 100%; touch-action: pan-y; cursor: grab; }
.timeline canvas:active { cursor: grabbing; }
.timeline > canvas:focus-visible, button:focus-visible { outline: 2px solid var(--accent); }
.tools, .legend { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; }
.tools button { font: inherit; min-width: 30px; padding: 2px 9px; color: var(--text);
  background: var(--window); border: 1px solid var(--line); border-radius: 4px; cursor: pointer; }
.tools .place { min-width: 9ch; text-align: center; font-weight: 600; }
.tools .hint { color: var(--muted); margin-left: 8px; font-size: 12px; }
.legend { gap: 4px 18px; margin: 4px 0 0; font-size: 12px; color: var(--muted); }
.legend span { display: flex; align-items: center; gap: 6px; }
.legend canvas { width: 18px; height: 12px; cursor: auto; }
.tip { position: absolute; z-index: 1; max-width: 340px; padding: 6px 10px; pointer-events: none;
  font-size: 12px; color: var(--text); background: var(--window); border: 1px solid var(--line);
  border-radius: 4px; box-shadow: 0 2px 8px #0003; overflow-wrap: anywhere; }
.tip[hidden] { display: none; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .tools, .tip { display: none; }
  section, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .bar, .bar i { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
</style>
</head>
<body>
$body
<script>$script</script>
</body>
</html>
"""
