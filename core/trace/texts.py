"""Texts that are the same again and again, as numbers."""

from __future__ import annotations

from collections.abc import Iterable


class Texts(list[str]):
    """Distinct texts, numbered in the order in which they came."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        super().__init__(texts)
        self._places = {text: place for place, text in enumerate(self)}

    def place(self, text: str) -> int:
        """The number of a text, which is noted if it is new."""
        place = self._places.setdefault(text, len(self))
        if place == len(self):
            self.append(text)
        return place
