"""Babel's extraction methods for texts that are not literal arguments of a call.

pyproject.toml says which files each method reads. A method gets an open file and yields a line
number, a function's name, a text and comments for each text in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from babel.messages.extract import extract_python

from core.models.catalogue import MODELS
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIONS
from core.plan.strategies import STRATEGIES

NOT_TEXT = re.compile(r"[\W\d]*|n|name|list|.*\.arrow")
"""Texts not to translate: signs, numbers, units that no field shows, and file names."""
Extracted = tuple[int, str, str, list[str]]


def registry(file: BinaryIO, keywords: Any, comments: Any, options: Any) -> Iterator[Extracted]:
    """Yield the titles and descriptions of the entries of a registry."""
    yield from extract_python(file, keywords, comments, options)
    texts = []
    match file.name.split("/")[-2:]:
        case ["strategies", _]:
            texts = [text for one in STRATEGIES.values() for text in (one.title, one.line)]
        case ["schedules", _]:
            texts = [text for one in SCHEDULES.values() for text in (one.title, one.line)]
        case [_, "catalogue.py"]:
            texts = [text for one in MODELS.values() for text in (one.title, one.line)]
        case [_, "specification.py"]:
            for option in OPTIONS:
                name = option.name.replace("_", " ")
                texts += [option.title or name.capitalize(), name, option.help, option.unit]
                texts += [option.usual, option.otherwise, *option.contrast]
    yield from _extracted(texts)


def _extracted(texts: Iterable[str]) -> Iterator[Extracted]:
    for text in texts:
        if not NOT_TEXT.fullmatch(text):
            yield 1, "N_", text, []
