"""Texts of core in the window's language."""

from __future__ import annotations

from core.message import Message, Text
from gui.look.catalogue import catalogue


def translated(text: Text) -> str:
    """Return a message in the window's language; any other text is the same in every language."""
    return text.translated(catalogue()) if isinstance(text, Message) else text
