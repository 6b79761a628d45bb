"""Irregularities of imported traces, counted so that nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from core.message import N_
from core.plain import Say, plainly


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


_SENTENCES = {
    Odd.NO_TIME: N_("{n} events without a time are left out."),
    Odd.NO_END: N_("{n} events that begin and never end are left out."),
    Odd.NO_BEGIN: N_("{n} events that end and never began are left out."),
    Odd.NOT_NESTED: N_(
        "{n} events overlap others of their row without being part of them: they have "
        "rows of their own."
    ),
    Odd.UNKNOWN: N_("{n} events of kinds that are not shown are left out."),
    Odd.NO_METADATA: N_(
        "{n} names of processes or threads cannot be read: numbers stand for them."
    ),
    Odd.CUT: N_("The file was cut: it is shown up to its last whole event."),
    Odd.ORPHAN_FLOW: N_("{n} arrows lack their beginning or their end."),
    Odd.ORPHAN_LAUNCH: N_("{n} tasks of a device have no call that launched them."),
    Odd.COLLIDING: N_("{n} numbers of processes stand for two things: they are told apart."),
    Odd.NO_RANK: N_("{n} files do not tell their rank: the order of their names does."),
    Odd.SAME_RANK: N_("{n} files are of a rank that another file has too."),
    Odd.UNREADABLE: N_("{n} files of the folder cannot be read."),
    Odd.CLOCKS_APART: N_("{n} ranks have no time in common with the first: each begins at 0."),
    Odd.BAD_ROW: N_(
        "{n} rows of the database have no time or no row of theirs: they are left out."
    ),
    Odd.LOST: N_("{n} packets could not be read: they are left out."),
    Odd.NOT_OVER: N_("{n} collectives do not say when they ended: each is shown as a moment."),
    Odd.CUT_OVERLAP: N_(
        "{n} events had not ended when the next of their row began: they are shown up "
        "to there, shorter by less than 1 %."
    ),
}
_SENTENCES_OF_ONE = {
    Odd.NO_TIME: N_("1 event without a time is left out."),
    Odd.NO_END: N_("1 event that begins and never ends is left out."),
    Odd.NO_BEGIN: N_("1 event that ends and never began is left out."),
    Odd.NOT_NESTED: N_(
        "1 event overlaps others of its row without being part of them: it has a row of its own."
    ),
    Odd.UNKNOWN: N_("1 event of a kind that is not shown is left out."),
    Odd.NO_METADATA: N_("1 name of a process or thread cannot be read: a number stands for it."),
    Odd.CUT: _SENTENCES[Odd.CUT],
    Odd.ORPHAN_FLOW: N_("1 arrow lacks its beginning or its end."),
    Odd.ORPHAN_LAUNCH: N_("1 task of a device has no call that launched it."),
    Odd.COLLIDING: N_("1 number of a process stands for two things: they are told apart."),
    Odd.NO_RANK: N_("1 file does not tell its rank: the order of the files' names does."),
    Odd.SAME_RANK: N_("1 file is of a rank that another file has too."),
    Odd.UNREADABLE: N_("1 file of the folder cannot be read."),
    Odd.CLOCKS_APART: N_("1 rank has no time in common with the first: it begins at 0."),
    Odd.BAD_ROW: N_("1 row of the database has no time or no row of its own: it is left out."),
    Odd.LOST: N_("1 packet could not be read: it is left out."),
    Odd.NOT_OVER: N_("1 collective does not say when it ended: it is shown as a moment."),
    Odd.CUT_OVERLAP: N_(
        "1 event had not ended when the next of its row began: it is shown up to "
        "there, shorter by less than 1 %."
    ),
}


def sentences(odd: Mapping[Odd, int], say: Say = plainly) -> Iterator[str]:
    """Yield a sentence for each irregularity, singular or plural."""
    for kind in Odd:
        count = odd.get(kind, 0)
        if count:
            table = _SENTENCES_OF_ONE if count == 1 else _SENTENCES
            yield say(table[kind], n=f"{count:,}")


def odd_text(odd: Mapping[Odd, int]) -> str:
    """Return all irregularities in one English line; "" if there are none."""
    return " ".join(sentences(odd))
