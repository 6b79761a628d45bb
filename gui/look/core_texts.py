"""What core says in English, in the window's language: a sentence is found again by its template.

resources/translations/sentences.json lists the templates, as `tests.gui.translations` collects
them from core; their translations stand with the window's texts.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache

from core.message import Message, Text
from core.paths import RESOURCES
from core.plain import in_number
from gui.look.catalogue import catalogue

TEMPLATES = RESOURCES / "translations" / "sentences.json"
_PLACE = re.compile(r"\{(\w+)\}")


def translated(text: Text) -> str:
    """Return a text of core in the window's language; a text that is not in the catalogue stays."""
    if isinstance(text, Message):
        return text.translated(catalogue())
    template, values = _parts(text)
    found = catalogue().gettext(template) if template else ""
    # gettext returns the source where it has no translation: the text then stays as core wrote it.
    if found == template:
        return in_number(text)
    return found.format(**{name: translated(value) for name, value in values})


@lru_cache(maxsize=512)
def _parts(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The template that a text was made from, with what was put into it; else the text alone."""
    for template, pattern in _patterns():
        if match := pattern.fullmatch(text):
            return template, tuple(match.groupdict().items())
    return text, ()


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Templates with what fits them, those first that say most."""
    templates = json.loads(TEMPLATES.read_text("utf-8"))
    return [(t, _pattern(t)) for t in sorted(templates, key=_own_length, reverse=True)]


def _own_length(template: str) -> int:
    return len(_PLACE.sub("", template))


def _pattern(template: str) -> re.Pattern[str]:
    """What a template's sentences look like; any text in its places, where they meet as well."""
    parts = _PLACE.split(template)
    # Splitting by a group gives literal text at even places and the names between them at odd ones.
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = [f"(?P<{name}>.*?)" for name in parts[1::2]]
    return re.compile("".join(parts), re.DOTALL)
