"""Events of Chrome's Trace Event Format, as decoded from JSON and collected in columns.

Times are microseconds. Numbers may be written as text, and text as numbers.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints
from core.message import message
from core.plan.task import ABSENT
from core.recording.importers.event_names import encode_values
from core.recording.importers.event_numbers import (
    LATEST_US,
    Scalar,
    rounded_off,
    sparse_floats,
    to_floats,
)
from core.recording.importers.imported_events import MOST_IMPORTED_LANES
from core.recording.limits import MOST_EVENTS, check_count
from core.trace.import_issue import ImportIssue
from core.trace.own_colours import OWN_CODES

SEND_CALL = "c10d::send"
"""Name of torch's call to send to another rank."""
RECEIVE_CALL = "c10d::recv_"
"""Name of torch's call to receive from another rank."""
_RANK_INPUT = 2
"""Place of the other rank among the inputs of these calls."""
_FLOW_PHASES = frozenset("stf")


# gc=False, here and below: there are millions of these objects and they form no cycles, so the
# garbage collector need not visit them.
class KnownArguments(msgspec.Struct, gc=False):
    """The arguments of an event that importers use; numbers may be texts."""

    name: Scalar = None
    role: Scalar = msgspec.field(default=None, name="lane role")
    correlation: Scalar = None
    group: Scalar = msgspec.field(default=None, name="Process Group Name")
    collective: Scalar = msgspec.field(default=None, name="Collective name")
    sender: Scalar = msgspec.field(default=None, name="Src Rank")
    receiver: Scalar = msgspec.field(default=None, name="Dst Rank")
    iteration: Scalar = None
    microbatch: Scalar = None
    model_chunk: Scalar = None
    pp_rank: Scalar = None


class TraceEvent(msgspec.Struct, gc=False):
    """The fields of an event that importers use."""

    ph: str = ""
    ts: Scalar = None
    dur: Scalar = None
    pid: Scalar = None
    tid: Scalar = None
    name: str | None = ""
    cat: str | None = None
    id: Scalar = None
    args: KnownArguments | None = None
    # The number of the event in the file, set by TraceEvents.add. Its name is a private character,
    # which is not a key in any file.
    place: int = msgspec.field(default=ABSENT, name="\ue000")


class ColouredEvent(msgspec.Struct, gc=False):
    """The colour of an event in the file."""

    cname: object = None


class CallEvent(msgspec.Struct, gc=False):
    """The name of an event, and its arguments, not decoded."""

    name: object = ""
    args: msgspec.Raw = msgspec.Raw(b"")


class CallArguments(msgspec.Struct, gc=False):
    """The inputs of a call as text; "" for tensors."""

    inputs: list[str] = msgspec.field(default=[], name="Concrete Inputs")


class CounterEvent(msgspec.Struct, gc=False):
    """The fields of an event with the values of a counter."""

    ph: object = ""
    ts: object = None
    pid: object = None
    name: object = ""
    id: object = None
    args: Any = None


class TraceHeading(msgspec.Struct, gc=False):
    """The parts of a file next to its list of events, not decoded; empty if they are missing.

    The importer that uses a part decodes it separately, so that an unusual part affects no others.
    """

    traceEvents: msgspec.Raw
    distributedInfo: msgspec.Raw = msgspec.Raw(b"")
    baseTimeNanoseconds: msgspec.Raw = msgspec.Raw(b"")
    deviceProperties: msgspec.Raw = msgspec.Raw(b"")


_CALL_DECODER = msgspec.json.Decoder(CallArguments)


NO_ARGUMENTS = KnownArguments()


NUMBER_ARGUMENTS = (
    "correlation",
    "sender",
    "receiver",
    "iteration",
    "microbatch",
    "model_chunk",
    "pp_rank",
)
"""Arguments that are columns of numbers, NaN for events without them."""
_NUMBER_GETTERS = {name: attrgetter(name) for name in NUMBER_ARGUMENTS}


class TraceEvents:
    """The complete events of a file as columns, and lists of its other events.

    `columns` has an array for each list of events that was added: `begin` and `length` in µs, the
    ns that rounding to a double took from the begin (`begin_rest`), and others. `threads`, `names`,
    `categories`, `groups` and `collectives` have the codes in these columns. `flows` are the ends
    of arrows, `counted` the events of counters, and `rest` all other events: names, begins, ends,
    instants. `firsts` is the number of the first event of each piece, and `colours_by_first` the
    colours of its events. `is_careful` is as in `split_events`. At most `most` events are
    accepted. `called_ranks` maps the number of a call in the file to the rank that it sends to or
    receives from, within its process group.
    """

    def __init__(self, most: int = MOST_EVENTS) -> None:
        self.most = most
        self.columns: dict[str, list[NDArray[Any]]] = {}
        self.threads: dict[tuple[Scalar, Scalar], int] = {}
        self.names: dict[str | None, int] = {}
        self.categories: dict[str | None, int] = {}
        self.groups: dict[Scalar, int] = {}
        self.collectives: dict[Scalar, int] = {}
        self.rest: list[TraceEvent] = []
        self.flows: list[TraceEvent] = []
        self.counted: list[CounterEvent] = []
        self.issues: Counts[ImportIssue] = Counts()
        self.heading = TraceHeading(msgspec.Raw(b"[]"))
        self.count = 0
        self.firsts: list[int] = []
        self.colours_by_first: dict[int, NDArray[np.int8]] = {}
        self.called_ranks: dict[int, int] = {}
        self.is_careful = False

    def add(self, events: Sequence[TraceEvent]) -> None:
        """Add a piece's events, while they are still in the processor's caches."""
        first = self.count
        self.count += len(events)
        self.firsts.append(first)
        check_count(self.count, self.most)
        complete = [event for event in events if event.ph == "X"]
        if len(complete) == len(events):
            # Their numbers are consecutive, so they need not be written into each event.
            self.add_complete(complete, places=np.arange(first, self.count))
            return
        for place, event in enumerate(events, first):
            event.place = place
        others = [event for event in events if event.ph != "X"]
        self.flows += [event for event in others if event.ph in _FLOW_PHASES]
        self.rest += [event for event in others if event.ph not in _FLOW_PHASES]
        self.add_complete(complete)

    def add_complete(
        self,
        events: Sequence[TraceEvent],
        end: Floats | None = None,
        places: Ints | None = None,
    ) -> None:
        """Add events as complete events, with their durations or with an `end` for each.

        `places` are their numbers in the file, by default those in the events.
        """
        if places is None:
            places = np.array([event.place for event in events], np.int64)
        times = [event.ts for event in events]
        begin = to_floats(times)
        rest = rounded_off(times, begin)
        if end is None:
            length = to_floats([event.dur for event in events])
            # An event without a duration is shown as a moment.
            length = np.where(np.isnan(length), 0.0, length)
        else:
            with np.errstate(invalid="ignore"):  # infinite times have no difference
                length = end - begin
        with np.errstate(invalid="ignore"):  # an infinite time and length may have no sum
            # NaN fails every comparison.
            is_valid = (np.abs(begin) < LATEST_US) & (length >= 0)
            is_valid &= begin + length < LATEST_US
        if not is_valid.all():
            self.issues[ImportIssue.NO_TIME] += int((~is_valid).sum())
            events = [event for event, valid in zip(events, is_valid, strict=True) if valid]
            begin = begin[is_valid]
            length = length[is_valid]
            places = places[is_valid]
            rest = rest[is_valid]
        columns = self._encoded(events)
        columns["begin"] = begin
        columns["begin_rest"] = rest
        columns["length"] = length
        columns["place"] = places.astype(np.int32)
        if len(self.threads) > MOST_IMPORTED_LANES:
            raise ValueError(
                message(
                    "it has more than {most:,} threads",
                    most=MOST_IMPORTED_LANES,
                )
            )
        for name, column in columns.items():
            self.columns.setdefault(name, []).append(column)

    def _encoded(self, events: Sequence[TraceEvent]) -> dict[str, NDArray[Any]]:
        """Return the columns of events other than times and places."""
        arguments = [event.args or NO_ARGUMENTS for event in events]
        threads = [(event.pid, event.tid) for event in events]
        columns: dict[str, NDArray[Any]] = {
            "thread": encode_values(threads, self.threads),
            "name": encode_values([event.name for event in events], self.names),
            "category": encode_values([event.cat for event in events], self.categories),
            "group": encode_values([each.group for each in arguments], self.groups),
            "collective": encode_values([each.collective for each in arguments], self.collectives),
        }
        for name, getter in _NUMBER_GETTERS.items():
            columns[name] = sparse_floats(list(map(getter, arguments)))
        return columns

    def add_colours(self, events: Sequence[ColouredEvent]) -> None:
        """Add the colours of the events that were added last."""
        codes = [OWN_CODES.get(str(event.cname), ABSENT) for event in events]
        self.colours_by_first[self.firsts[-1]] = np.array(codes, np.int8)

    def add_called_ranks(self, calls: Sequence[CallEvent]) -> None:
        """Add the other ranks of the transfers among the events that were added last."""
        for place, call in enumerate(calls, self.firsts[-1]):
            if call.name in (SEND_CALL, RECEIVE_CALL):
                rank = _called_rank(call.args)
                if rank is not None:
                    self.called_ranks[place] = rank

    @property
    def colours(self) -> NDArray[np.int8] | None:
        """The colour of each complete event as a position in OWN_COLOURS, or ABSENT."""
        if not self.colours_by_first:
            return None
        codes = np.full(self.count, ABSENT, np.int8)
        for first, some in self.colours_by_first.items():
            codes[first : first + len(some)] = some
        colours: NDArray[np.int8] = codes[np.concatenate(self.columns["place"])]
        return colours

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of events in the order of their codes; "unnamed" for events without a name."""
        return tuple(name or "unnamed" for name in self.names)

    @property
    def has_complete(self) -> bool:
        """True if there is a complete event."""
        return any(len(begin) for begin in self.columns.get("begin", ()))

    def whole_columns(self) -> dict[str, NDArray[Any]]:
        """Return each column as one array."""
        return {name: np.concatenate(parts) for name, parts in self.columns.items()}


def _called_rank(arguments: msgspec.Raw) -> int | None:
    """Return the other rank among the inputs of a transfer; None if they were not recorded."""
    try:
        inputs = _CALL_DECODER.decode(arguments).inputs
        return int(inputs[_RANK_INPUT])
    except (msgspec.DecodeError, RecursionError, ValueError, IndexError):
        return None
