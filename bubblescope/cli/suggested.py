"""Suggested values of an argument that also takes others."""

from __future__ import annotations


class Suggested(tuple[str, ...]):
    """Choices that shells offer; the parser accepts others too, because they are checked later."""

    def __contains__(self, value: object) -> bool:
        return True
