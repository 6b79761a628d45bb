"""Irregularities of imported traces, counted so that nothing is dropped silently."""

from __future__ import annotations

from enum import StrEnum

from core.message import N_
from core.plain import Say, plainly


class ImportIssue(StrEnum):
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
    ImportIssue.NO_TIME: N_("{n} events without a time are left out."),
    ImportIssue.NO_END: N_("{n} events that begin and never end are left out."),
    ImportIssue.NO_BEGIN: N_("{n} events that end and never began are left out."),
    ImportIssue.NOT_NESTED: N_(
        "{n} events overlap others of their row without being nested in them: they are shown "
        "in separate rows."
    ),
    ImportIssue.UNKNOWN: N_("{n} events of kinds that are not shown are left out."),
    ImportIssue.NO_METADATA: N_(
        "{n} names of processes or threads cannot be read: numbers are shown instead."
    ),
    ImportIssue.CUT: N_("The file was cut: it is shown up to its last whole event."),
    ImportIssue.ORPHAN_FLOW: N_("{n} arrows lack their beginning or their end."),
    ImportIssue.ORPHAN_LAUNCH: N_("{n} tasks of a device have no call that launched them."),
    ImportIssue.COLLIDING: N_(
        "{n} process numbers are used for two things: these are shown separately."
    ),
    ImportIssue.NO_RANK: N_(
        "{n} files do not contain their rank: it is taken from the order of their names."
    ),
    ImportIssue.SAME_RANK: N_("{n} files have the same rank as another file."),
    ImportIssue.UNREADABLE: N_("{n} files of the folder cannot be read."),
    ImportIssue.CLOCKS_APART: N_(
        "{n} ranks have no time in common with the first: each begins at 0."
    ),
    ImportIssue.BAD_ROW: N_("{n} rows of the database have no valid time: they are left out."),
    ImportIssue.LOST: N_("{n} packets could not be read: they are left out."),
    ImportIssue.NOT_OVER: N_("{n} collectives have no end time: each is shown as a moment."),
    ImportIssue.CUT_OVERLAP: N_(
        "{n} events had not ended when the next of their row began: they are shown up to "
        "there, shorter by less than 1 %."
    ),
}
_SENTENCES_OF_ONE = {
    ImportIssue.NO_TIME: N_("1 event without a time is left out."),
    ImportIssue.NO_END: N_("1 event that begins and never ends is left out."),
    ImportIssue.NO_BEGIN: N_("1 event that ends and never began is left out."),
    ImportIssue.NOT_NESTED: N_(
        "1 event overlaps others of its row without being nested in them: it is shown in a "
        "separate row."
    ),
    ImportIssue.UNKNOWN: N_("1 event of a kind that is not shown is left out."),
    ImportIssue.NO_METADATA: N_(
        "1 name of a process or thread cannot be read: a number is shown instead."
    ),
    ImportIssue.CUT: _SENTENCES[ImportIssue.CUT],
    ImportIssue.ORPHAN_FLOW: N_("1 arrow lacks its beginning or its end."),
    ImportIssue.ORPHAN_LAUNCH: N_("1 task of a device has no call that launched it."),
    ImportIssue.COLLIDING: N_(
        "1 process number is used for two things: these are shown separately."
    ),
    ImportIssue.NO_RANK: N_(
        "1 file does not contain its rank: it is taken from the order of the files' names."
    ),
    ImportIssue.SAME_RANK: N_("1 file has the same rank as another file."),
    ImportIssue.UNREADABLE: N_("1 file of the folder cannot be read."),
    ImportIssue.CLOCKS_APART: N_("1 rank has no time in common with the first: it begins at 0."),
    ImportIssue.BAD_ROW: N_("1 row of the database has no valid time: it is left out."),
    ImportIssue.LOST: N_("1 packet could not be read: it is left out."),
    ImportIssue.NOT_OVER: N_("1 collective has no end time: it is shown as a moment."),
    ImportIssue.CUT_OVERLAP: N_(
        "1 event had not ended when the next of its row began: it is shown up to there, "
        "shorter by less than 1 %."
    ),
}


def issue_sentence(issue: ImportIssue, count: int, say: Say = plainly) -> str:
    """Return a sentence about an irregularity that was found `count` times."""
    table = _SENTENCES_OF_ONE if count == 1 else _SENTENCES
    return say(table[issue], n=f"{count:,}")
