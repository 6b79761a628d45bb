"""Translatable messages: `str()` returns the English text, a catalogue translates it.

All other code creates and passes on `Message` objects; only the window translates them. The
catalogue is keyed by the English template, so a template must be a literal argument of `message`
or `counted`, where Babel finds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from gettext import NullTranslations
from typing import Any

_ENGLISH = NullTranslations()
_HAN = re.compile("[\u3001-\u3003\u3008-\u3011\u3400-\u9fff\uff01-\uff5e]")
"""A Chinese character or punctuation mark."""


@dataclass(frozen=True, slots=True)
class Message:
    """An English template with named placeholders, and their values, which may be messages.

    With a `plural`, the template is for a count of one and the plural for every other count; the
    count fills the placeholder `{n}`.
    """

    template: str
    values: tuple[tuple[str, object], ...] = ()
    plural: str = ""
    count: int = 1

    def __str__(self) -> str:
        return self.translated(_ENGLISH)

    def translated(self, catalogue: NullTranslations) -> str:
        """Return the text in the language of a catalogue, with its values filled in."""
        if not self.template:
            return ""  # the catalogue's header is the translation of ""
        if self.plural:
            text = catalogue.ngettext(self.template, self.plural, self.count)
        else:
            text = catalogue.gettext(self.template)
        # Without values nothing is formatted: some texts contain other braces.
        if not self.values and not self.plural:
            return text
        values: dict[str, object] = {}
        for name, value in self.values:
            if isinstance(value, Message):
                inner = value.translated(catalogue)
                values[name] = inner
                text = _closed_up(text, name, inner)
            else:
                values[name] = value
        return text.format(n=self.count, **values)

    def to_dict(self) -> dict[str, Any]:
        """Return the message as plain JSON values; values of other types become text."""
        values = {name: _to_plain(value) for name, value in self.values}
        return {
            "template": self.template,
            "values": values,
            "plural": self.plural,
            "count": self.count,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Message:
        """Return the message that `to_dict` converted."""
        values = []
        for name, value in plain["values"].items():
            values.append((name, _from_plain(value)))
        return cls(
            template=plain["template"],
            values=tuple(values),
            plural=plain["plural"],
            count=plain["count"],
        )


def _closed_up(template: str, name: str, value: str) -> str:
    """Return a template without the spaces that would separate a Chinese value from Chinese text.

    The spaces around a placeholder are for names in Latin letters; Chinese text has none.
    """
    han = _HAN.pattern
    place = re.escape("{" + name + "}")
    if _HAN.match(value):
        space_before = f"(?<={han}) (?={place})"
        template = re.sub(space_before, "", template)
    last_character = value[-1:]
    if _HAN.match(last_character):
        space_after = f"(?<={place}) (?={han})"
        template = re.sub(space_after, "", template)
    return template


Text = Message | str
"""A message, or a text that is the same in every language, such as a name or a Python error."""


def message(template: str, **values: object) -> Message:
    """Return a message; an error among its values is replaced by its own message."""
    return Message(template, _pairs(values))


def counted(one: str, many: str, n: int, **values: object) -> Message:
    """Return a message with a plural: `counted("{n} lane", "{n} lanes", 2)` is `2 lanes`."""
    return Message(one, _pairs(values), many, n)


def join_texts(texts: Iterable[Text], separator: str = " ") -> Message:
    """Join texts, such as the sentences of a paragraph, into one message."""
    values = {f"text_{number}": text for number, text in enumerate(texts)}
    # Placeholders and a separator need no translation: no catalogue has such a template.
    template = separator.join(f"{{{name}}}" for name in values)
    return Message(template, _pairs(values))


def list_texts(texts: Iterable[Text]) -> Text:
    """Join items with commas into one message; "" if there are none."""
    listed: Text = ""
    for text in texts:
        # A template, because other languages use other commas.
        listed = message("{items}, {item}", items=listed, item=text) if listed else text
    return listed


def error_message(error: BaseException) -> Text:
    """Return the message that an error was raised with, or else its text."""
    if error.args:
        first = error.args[0]
        if isinstance(first, Message):
            return first
    return str(error)


def text_to_plain(text: Text) -> Any:
    """Return a text as a plain JSON value."""
    return _to_plain(text)


def text_from_plain(plain: Any) -> Text:
    """Return the text that `text_to_plain` converted."""
    found = _from_plain(plain)
    if isinstance(found, Message):
        return found
    return str(found)


def N_(text: str) -> str:
    """Mark a text for translation and return it unchanged; the code that shows it translates it."""
    return text


def _pairs(values: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    pairs: list[tuple[str, object]] = []
    for name, value in values.items():
        if isinstance(value, BaseException):
            value = error_message(value)
        pairs.append((name, value))
    return tuple(pairs)


def _to_plain(value: object) -> Any:
    if isinstance(value, Message):
        return value.to_dict()
    is_known_to_json = type(value) in (int, float, bool, str)
    return value if is_known_to_json else str(value)


def _from_plain(value: Any) -> object:
    if isinstance(value, dict):
        return Message.from_dict(value)
    return value
