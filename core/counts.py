"""Messages for counts that many texts need: `1 stage`, `2 stages`."""

from __future__ import annotations

from core.message import Message, counted


def blocks_text(n: int) -> Message:
    """Return `2 blocks`."""
    return counted("{n:,} block", "{n:,} blocks", n)


def bytes_text(n: int) -> Message:
    """Return `2 bytes`."""
    return counted("{n:,} byte", "{n:,} bytes", n)


def lanes_text(n: int) -> Message:
    """Return `2 lanes`."""
    return counted("{n:,} lane", "{n:,} lanes", n)


def microbatches_text(n: int) -> Message:
    """Return `2 micro-batches`."""
    return counted("{n:,} micro-batch", "{n:,} micro-batches", n)


def ranks_text(n: int) -> Message:
    """Return `2 ranks`."""
    return counted("{n:,} rank", "{n:,} ranks", n)


def replicas_text(n: int) -> Message:
    """Return `2 replicas`."""
    return counted("{n:,} replica", "{n:,} replicas", n)


def rows_text(n: int) -> Message:
    """Return `2 rows`."""
    return counted("{n:,} row", "{n:,} rows", n)


def stages_text(n: int) -> Message:
    """Return `2 stages`."""
    return counted("{n:,} stage", "{n:,} stages", n)


def steps_text(n: int) -> Message:
    """Return `2 steps`."""
    return counted("{n:,} step", "{n:,} steps", n)
