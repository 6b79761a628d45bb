"""Translates the English texts of core: finds the template of a sentence, and translates that.

resources/translations/sentences.json lists the templates, as `tests.gui.core_sentences` collects
them from core; their translations are in the catalogue of the window's texts.
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
    # gettext returns its input where it has no translation: the text then stays in English.
    if found == template:
        return in_number(text)
    return found.format(**{name: translated(value) for name, value in values})


@lru_cache(maxsize=512)
def _parts(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the template of a text with its placeholders' values; without one, the text itself."""
    for template, pattern in _patterns():
        if match := pattern.fullmatch(text):
            return template, tuple(match.groupdict().items())
    return text, ()


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Return all templates with their regular expressions, the longest template first."""
    templates = json.loads(TEMPLATES.read_text("utf-8"))
    return [(t, _pattern(t)) for t in sorted(templates, key=_own_length, reverse=True)]


def _own_length(template: str) -> int:
    return len(_PLACE.sub("", template))


def _pattern(template: str) -> re.Pattern[str]:
    """Return the regular expression for a template's sentences; placeholders match any text."""
    parts = _PLACE.split(template)
    # Splitting by a group gives literal text at even places and the names between them at odd ones.
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = [f"(?P<{name}>.*?)" for name in parts[1::2]]
    return re.compile("".join(parts), re.DOTALL)
