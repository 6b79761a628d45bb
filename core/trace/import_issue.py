"""Irregularities of imported traces, counted so that nothing is dropped silently."""

from __future__ import annotations

from enum import StrEnum

from core.message import Message, counted, message


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
    NO_PLACEMENT = "no-placement"
    CLOCKS_MOVED = "clocks-moved"
    CLOCKS_CONTRADICT = "clocks-contradict"
    INFERRED_TRANSFER = "inferred-transfer"
    UNMATCHED_TRANSFER = "unmatched-transfer"
    BACKWARD_LINK = "backward-link"
    UNPAIRED_TRANSFER = "unpaired-transfer"
    UNKNOWN_CLOCK = "unknown-clock"
    UNKNOWN_RANKS = "several-ranks"  # the value of earlier versions, which recordings contain


def issue_sentence(issue: ImportIssue, n: int) -> Message:
    """Return the sentence of an irregularity that was counted `n` times."""
    match issue:
        case ImportIssue.NO_TIME:
            return counted(
                "{n} event without a time is left out.",
                "{n:,} events without a time are left out.",
                n,
            )
        case ImportIssue.NO_END:
            return counted(
                "{n} event that begins and never ends is left out.",
                "{n:,} events that begin and never end are left out.",
                n,
            )
        case ImportIssue.NO_BEGIN:
            return counted(
                "{n} event that ends and never began is left out.",
                "{n:,} events that end and never began are left out.",
                n,
            )
        case ImportIssue.NOT_NESTED:
            return counted(
                "{n} event overlaps others of its row without being nested in them: it is shown "
                "in a separate row.",
                "{n:,} events overlap others of their row without being nested in them: they are "
                "shown in separate rows.",
                n,
            )
        case ImportIssue.UNKNOWN:
            return counted(
                "{n} event of a kind that is not shown is left out.",
                "{n:,} events of kinds that are not shown are left out.",
                n,
            )
        case ImportIssue.NO_METADATA:
            return counted(
                "{n} name of a process or thread cannot be read: a number is shown instead.",
                "{n:,} names of processes or threads cannot be read: numbers are shown instead.",
                n,
            )
        case ImportIssue.CUT:
            return message("The file is truncated: it is shown up to its last whole event.")
        case ImportIssue.ORPHAN_FLOW:
            return counted(
                "{n} arrow lacks its beginning or its end.",
                "{n:,} arrows lack their beginning or their end.",
                n,
            )
        case ImportIssue.ORPHAN_LAUNCH:
            return counted(
                "{n} task of a device has no call that launched it.",
                "{n:,} tasks of a device have no call that launched them.",
                n,
            )
        case ImportIssue.COLLIDING:
            return counted(
                "{n} process number has two uses, which are shown separately.",
                "{n:,} process numbers have two uses each, which are shown separately.",
                n,
            )
        case ImportIssue.NO_RANK:
            return counted(
                "{n} file does not contain its rank: it is taken from the order of the files' "
                "names.",
                "{n:,} files do not contain their rank: it is taken from the order of their names.",
                n,
            )
        case ImportIssue.SAME_RANK:
            return counted(
                "{n} file has the same rank as another file.",
                "{n:,} files have the same rank as another file.",
                n,
            )
        case ImportIssue.UNREADABLE:
            return counted(
                "{n} file of the folder cannot be read.",
                "{n:,} files of the folder cannot be read.",
                n,
            )
        case ImportIssue.CLOCKS_APART:
            return counted(
                "{n} rank has no time in common with the first: it begins at 0.",
                "{n:,} ranks have no time in common with the first: each begins at 0.",
                n,
            )
        case ImportIssue.BAD_ROW:
            return counted(
                "{n} row of the database has no valid time: it is left out.",
                "{n:,} rows of the database have no valid time: they are left out.",
                n,
            )
        case ImportIssue.LOST:
            return counted(
                "{n} packet could not be read: it is left out.",
                "{n:,} packets could not be read: they are left out.",
                n,
            )
        case ImportIssue.NOT_OVER:
            return counted(
                "{n} collective has no end time: it is shown as a moment.",
                "{n:,} collectives have no end time: each is shown as a moment.",
                n,
            )
        case ImportIssue.CUT_OVERLAP:
            return counted(
                "{n} event had not ended when the next in its row began: it is shown up to "
                "there, shorter by less than 1 %.",
                "{n:,} events had not ended when the next in their row began: they are shown "
                "up to there, shorter by less than 1 %.",
                n,
            )
        case ImportIssue.NO_PLACEMENT:
            return message(
                "The stages of the ranks are not known: passes of neighbouring ranks fit no usual "
                "placement, so their dependencies are left out."
            )
        case ImportIssue.CLOCKS_MOVED:
            return counted(
                "{n} rank's clock was moved so that no pass starts before its data exist.",
                "{n:,} ranks' clocks were moved so that no pass starts before its data exist.",
                n,
            )
        case ImportIssue.CLOCKS_CONTRADICT:
            return counted(
                "For {n} rank, no clock correction lets all passes start after their data exist.",
                "For {n:,} ranks, no clock correction lets all passes start after their data "
                "exist.",
                n,
            )
        case ImportIssue.INFERRED_TRANSFER:
            return counted(
                "{n} transfer between ranks is not recorded: its time is inferred from the "
                "fastest ones.",
                "{n:,} transfers between ranks are not recorded: their times are inferred from "
                "the fastest ones.",
                n,
            )
        case ImportIssue.UNMATCHED_TRANSFER:
            return counted(
                "{n} send or receive belongs to no known pass: it is shown without dependencies.",
                "{n:,} sends or receives belong to no known passes: they are shown without "
                "dependencies.",
                n,
            )
        case ImportIssue.UNPAIRED_TRANSFER:
            return counted(
                "{n} kernel sends to or receives from a rank that has a different number of such "
                "kernels in the step: it is shown without that dependency.",
                "{n:,} kernels send to or receive from ranks that have a different number of such "
                "kernels in the step: they are shown without that dependency.",
                n,
            )
        case ImportIssue.UNKNOWN_RANKS:
            return counted(
                "{n} kernel sends to or receives from ranks that its file does not name: it is "
                "shown without dependencies.",
                "{n:,} kernels send to or receive from ranks that their files do not name: they "
                "are shown without dependencies.",
                n,
            )
        case ImportIssue.UNKNOWN_CLOCK:
            return counted(
                "{n} event has the time of a clock that the file does not relate to the others: it "
                "is left out.",
                "{n:,} events have the time of clocks that the file does not relate to the others: "
                "they are left out.",
                n,
            )
        case ImportIssue.BACKWARD_LINK:
            return counted(
                "{n} dependency leads back in time: it is left out.",
                "{n:,} dependencies lead back in time: they are left out.",
                n,
            )
