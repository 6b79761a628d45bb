"""Irregularities of imported traces, counted so that nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from core.message import Message, counted, message


class Odd(StrEnum):
    """An irregularity of another program's file; the value is its id in recordings."""

    NO_TIME = "no-time"
    NO_END = "begin-without-end"
    NO_BEGIN = "end-without-begin"
    NOT_NESTED = "not-nested"
    UNKNOWN = "unknown-phase"
    NO_METADATA = "unread-metadata"
    CUT = "cut"
    ORPHAN_FLOW = "orphan-flow"
    ORPHAN_LAUNCH = "orphan-launch"
    COLLIDING = "colliding-process"
    NO_RANK = "no-rank"
    SAME_RANK = "same-rank"
    UNREADABLE = "unreadable-file"
    CLOCKS_APART = "clocks-apart"
    BAD_ROW = "bad-row"
    LOST = "lost-packet"
    NOT_OVER = "not-over"
    CUT_OVERLAP = "cut-overlap"


def _sentence(kind: Odd, n: int) -> Message:
    """Return the sentence of an irregularity that was counted `n` times."""
    match kind:
        case Odd.NO_TIME:
            return counted(
                "{n} event without a time is left out.",
                "{n:,} events without a time are left out.",
                n,
            )
        case Odd.NO_END:
            return counted(
                "{n} event that begins and never ends is left out.",
                "{n:,} events that begin and never end are left out.",
                n,
            )
        case Odd.NO_BEGIN:
            return counted(
                "{n} event that ends and never began is left out.",
                "{n:,} events that end and never began are left out.",
                n,
            )
        case Odd.NOT_NESTED:
            return counted(
                "{n} event overlaps others of its row without being part of them: it has a "
                "row of its own.",
                "{n:,} events overlap others of their row without being part of them: they "
                "have rows of their own.",
                n,
            )
        case Odd.UNKNOWN:
            return counted(
                "{n} event of a kind that is not shown is left out.",
                "{n:,} events of kinds that are not shown are left out.",
                n,
            )
        case Odd.NO_METADATA:
            return counted(
                "{n} name of a process or thread cannot be read: a number stands for it.",
                "{n:,} names of processes or threads cannot be read: numbers stand for them.",
                n,
            )
        case Odd.CUT:
            return message("The file was cut: it is shown up to its last whole event.")
        case Odd.ORPHAN_FLOW:
            return counted(
                "{n} arrow lacks its beginning or its end.",
                "{n:,} arrows lack their beginning or their end.",
                n,
            )
        case Odd.ORPHAN_LAUNCH:
            return counted(
                "{n} task of a device has no call that launched it.",
                "{n:,} tasks of a device have no call that launched them.",
                n,
            )
        case Odd.COLLIDING:
            return counted(
                "{n} number of a process stands for two things: they are told apart.",
                "{n:,} numbers of processes stand for two things: they are told apart.",
                n,
            )
        case Odd.NO_RANK:
            return counted(
                "{n} file does not tell its rank: the order of the files' names does.",
                "{n:,} files do not tell their rank: the order of their names does.",
                n,
            )
        case Odd.SAME_RANK:
            return counted(
                "{n} file is of a rank that another file has too.",
                "{n:,} files are of a rank that another file has too.",
                n,
            )
        case Odd.UNREADABLE:
            return counted(
                "{n} file of the folder cannot be read.",
                "{n:,} files of the folder cannot be read.",
                n,
            )
        case Odd.CLOCKS_APART:
            return counted(
                "{n} rank has no time in common with the first: it begins at 0.",
                "{n:,} ranks have no time in common with the first: each begins at 0.",
                n,
            )
        case Odd.BAD_ROW:
            return counted(
                "{n} row of the database has no time or no row of its own: it is left out.",
                "{n:,} rows of the database have no time or no row of theirs: they are left out.",
                n,
            )
        case Odd.LOST:
            return counted(
                "{n} packet could not be read: it is left out.",
                "{n:,} packets could not be read: they are left out.",
                n,
            )
        case Odd.NOT_OVER:
            return counted(
                "{n} collective does not say when it ended: it is shown as a moment.",
                "{n:,} collectives do not say when they ended: each is shown as a moment.",
                n,
            )
        case Odd.CUT_OVERLAP:
            return counted(
                "{n} event had not ended when the next of its row began: it is shown up to "
                "there, shorter by less than 1 %.",
                "{n:,} events had not ended when the next of their row began: they are shown "
                "up to there, shorter by less than 1 %.",
                n,
            )


def sentences(odd: Mapping[Odd, int]) -> Iterator[Message]:
    """Yield a sentence for each irregularity."""
    for kind in Odd:
        count = odd.get(kind, 0)
        if count:
            yield _sentence(kind, count)


def odd_text(odd: Mapping[Odd, int]) -> str:
    """Return all irregularities in one English line; "" if there are none."""
    return " ".join(map(str, sentences(odd)))
