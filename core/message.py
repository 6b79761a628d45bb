"""Texts for people, as values that can be translated after they are made."""

from __future__ import annotations


def N_(text: str) -> str:
    """Mark a text for the catalogue; it stays English until it is translated where it is shown."""
    return text
