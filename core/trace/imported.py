"""Data that only traces of other programs have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.message import Message, Text, join_texts
from core.trace.event_arguments import EventArguments
from core.trace.import_issue import ImportIssue, issue_sentence

Direction = tuple[int, int]
"""The ranks of the sender and of the receiver of a transfer."""
Exchanges = Mapping[int, Sequence[Direction]]
"""The transfers of the tasks with a bucket, by the bucket's number."""


@dataclass(frozen=True, eq=False, slots=True)
class Imported:
    """Data that an importer found in another program's file, besides spans and counters.

    `issues` counts irregularities of the file. `colours` has a position in OWN_COLOURS for each row
    of the trace's table, ABSENT for rows without a colour in the file. `counter_places` has the
    rank or process of each counter by name. `arguments` locates further data of the events. While a
    recording of an imported trace is read, `keeps_arguments` says that it contains arguments.
    `exchanges` has the buckets of tasks that send to other ranks or receive from them. `pauses` are
    intervals in ns, in order of time, in which the profiler did not record.
    """

    issues: Mapping[ImportIssue, int] = field(default_factory=dict)
    colours: NDArray[np.int8] | None = None
    counter_places: Mapping[str, str] = field(default_factory=dict)
    arguments: EventArguments | None = None
    keeps_arguments: bool = False
    exchanges: Exchanges = field(default_factory=dict)
    pauses: tuple[tuple[int, int], ...] = ()


def issue_sentences(imported: Imported | None) -> Iterator[Message]:
    """Yield a sentence for each irregularity of an imported file; none for other traces."""
    if imported is None:
        return
    for issue in ImportIssue:
        count = imported.issues.get(issue, 0)
        if count:
            yield issue_sentence(issue, count)


def issue_text(imported: Imported | None) -> Text:
    """Return all irregularities in one line; "" if there are none."""
    sentences = list(issue_sentences(imported))
    return join_texts(sentences) if sentences else ""
