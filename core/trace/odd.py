"""What was odd about another program's trace: counted, so that nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Odd(StrEnum):
    """Something that a file of another program has or lacks; its value is its id in files.

    `sentence` has the placeholder n: how often it was met.
    """

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

    @property
    def sentence(self) -> str:
        """What was met and what became of it, in English, with the placeholder n."""
        return _SENTENCES[self]


_SENTENCES = {
    Odd.NO_TIME: "{n} events without a time are left out.",
    Odd.NO_END: "{n} events that begin and never end are left out.",
    Odd.NO_BEGIN: "{n} events that end and never began are left out.",
    Odd.NOT_NESTED: "{n} events overlap others of their row without being part of them: they have "
    "rows of their own.",
    Odd.UNKNOWN: "{n} events of kinds that are not shown are left out.",
    Odd.NO_METADATA: "{n} names of processes or threads cannot be read: numbers stand for them.",
    Odd.CUT: "The file was cut: it is shown up to its last whole event.",
    Odd.ORPHAN_FLOW: "{n} arrows lack their beginning or their end.",
    Odd.ORPHAN_LAUNCH: "{n} tasks of a device have no call that launched them.",
    Odd.COLLIDING: "{n} numbers of processes stand for two things: they are told apart.",
    Odd.NO_RANK: "{n} files do not tell their rank: the order of their names does.",
    Odd.SAME_RANK: "{n} files are of a rank that another file has too.",
    Odd.UNREADABLE: "{n} files of the folder cannot be read.",
    Odd.CLOCKS_APART: "{n} ranks have no time in common with the first: each begins at 0.",
    Odd.BAD_ROW: "{n} rows of the database have no time or no row of theirs: they are left out.",
    Odd.LOST: "{n} packets could not be read: they are left out.",
    Odd.NOT_OVER: "{n} collectives do not say when they ended: each is shown as a moment.",
}


def told(odd: Mapping[Odd, int]) -> str:
    """All of it in one English line; nothing if nothing was odd."""
    return " ".join(kind.sentence.replace("{n}", f"{odd[kind]:,}") for kind in Odd if odd.get(kind))
