"""Receives training jobs for the window: a job's streams become the messages of one run.

The engine sends the same messages for a run, so a job's run is drawn, kept and saved like any
other. The window calls `poll`. If it is slow, the ranks' streams are not read. The ranks' own
queues then drop whole steps and report how many.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader

import pyarrow as pa

from core.counts import ranks_text
from core.engine.messages import Ended, EngineMessage, Outcome
from core.job.merging import RankMerger, RankStream
from core.message import Message, Text, message
from core.plain import plain_message
from core.reading import FORESEEN
from core.recorder.wire import Address
from core.recording.handshakes import Refusals
from core.recording.limits import TooLarge
from core.recording.listener import Listener, shut
from core.recording.stream_header import read_header
from core.recording.unpack_limit import UnpackLimit

MOST_ROWS = 1 << 18
"""Most rows that wait for `poll`. If there are more, the ranks' streams wait to be read."""
MOST_MESSAGE = 1 << 26
"""Most bytes in one message of a rank's stream."""
MOST_RANKS = 1024
JOINED_SECONDS = 10.0
"""Time within which all ranks of a job connect, because they do so in their first update. A rank
that connected earlier and has ended belongs to a job that broke off before the others connected."""
BROKE_OFF = message("its job was killed or its connection lost")


@dataclass(frozen=True, slots=True)
class Peer:
    """A rank that is or was connected.

    `steps` is the number of steps that it has sent, `waiting` the number of its spans that wait for
    other ranks. `half_width` is the uncertainty of its times in ns, inf if its clock was not
    compared. If it `drifts`, its clock was compared only at the beginning, and the uncertainty does
    not include its drift since then.
    """

    rank: int
    host: str
    is_here: bool
    steps: int
    waiting: int
    half_width: float
    drifts: bool = False


@dataclass(frozen=True, slots=True)
class JobStatus:
    """The state of a job: its ranks so far out of `world`, and the number of steps left out.

    `refused` is the number of connections that did not show the token. `problem` describes the
    latest problem of a rank or of the job, "" if there was none since the job began.
    """

    peers: tuple[Peer, ...] = ()
    world: int = 0
    left_out: int = 0
    refused: int = 0
    problem: Text = ""


class JobClient:
    """Accepts ranks over TCP until `close`, and merges them into one run at a time.

    The ranks of a second job wait until the first job has ended.

    `where` is the address for a job. `host` is the remote machine whose jobs can connect, "" if the
    client listens on an address of this machine. RemoteJobClient sets both. When its connection to
    the host ends, it sets `lost` to the reason.
    """

    def __init__(self, host: str, port: int) -> None:
        """Raise OSError if it cannot listen on the address."""
        self._messages: deque[EngineMessage] = deque()
        self._rows = 0
        self._refusals = Refusals(lambda _: None)
        self._note: Text = ""
        self._room = threading.Condition()
        self._ranks: dict[int, RankStream] = {}
        self._since: dict[int, float] = {}
        self._peers: dict[int, socket.socket] = {}
        self._merger: RankMerger | None = None
        self._closed = False
        self._is_stopped = False
        self._problem: Text = ""
        self._listener = Listener(host, port, self._receive, self._set_note, self._refusals)
        self.host = ""
        self.where: Address | None = self._listener.where
        self.lost: Text = ""

    @property
    def address(self) -> str:
        """The address that a job needs as `out`, with the token; "" if there is none yet."""
        return "" if self.where is None else self.where.with_token

    def poll(self) -> list[EngineMessage]:
        """Return the messages since the last call, in order. Each message is returned once."""
        with self._room:
            messages = list(self._messages)
            self._rows = 0
            self._messages.clear()
            # Wake the readers that wait because of MOST_ROWS.
            self._room.notify_all()
        return messages

    def status(self) -> JobStatus:
        """Return a snapshot of the job's state."""
        with self._room:
            ranks = sorted(self._ranks.values(), key=lambda rank: rank.number)
            peers = tuple(_peer_of(rank) for rank in ranks)
            world = ranks[0].header.replicas if ranks else 0
            left_out = 0 if self._merger is None else self._merger.left_out
            return JobStatus(
                peers=peers,
                world=world,
                left_out=left_out,
                refused=self._refusals.count,
                problem=self._note,
            )

    def stop(self) -> None:
        """End the current run. Its ranks are disconnected, and their job continues."""
        with self._room:
            peers = list(self._peers.values())
            # Set before they are disconnected. Otherwise the run would end as broken off.
            if peers and not self._problem:
                self._is_stopped = True
            if self._merger is None:
                # Ended ranks wait for other ranks of a job that is abandoned now.
                self._forget_ended(0.0)
        for peer in peers:
            shut(peer)

    def finish(self) -> None:
        """Read what has arrived and close. Call it when the ranks' processes have ended."""
        # In this order, because `self.close` makes `_begin` refuse ranks that have just connected.
        self._listener.close()
        self.close()

    def close(self) -> None:
        """Stop listening and end the current run."""
        with self._room:
            self._closed = True
            self._room.notify_all()
        self.stop()
        self._listener.close()

    def break_off(self, text: Text) -> None:
        """End the current run as failed with a reason, because its ranks cannot be reached."""
        with self._room:
            if self._peers and not (self._problem or self._is_stopped):
                self._problem = text
        self.stop()

    def _set_note(self, text: Text) -> None:
        with self._room:
            self._note = text

    def _receive(self, peer: socket.socket, number: int) -> bool:
        """Read a rank's stream on its own thread; return True if it was complete."""
        rank: RankStream | None = None
        bounded: _BoundedReader | None = None
        try:
            with peer.makefile("rb") as file:
                bounded = _BoundedReader(file)
                reader = pa.ipc.open_stream(pa.PythonFile(bounded, "r"))
                stream = RankStream(number, read_header(reader.schema, f"rank {number}"))
                self._begin(stream, peer)
                # Set only now, because a rank that `_begin` has refused must not end the run.
                rank = stream
                for batch in reader:
                    batch.validate(full=True)
                    self._take(rank, batch)
                # Arrow's reader stops at the end-of-stream mark. A recorder sends nothing after it.
                if file.read(1):
                    raise ValueError(message("there is data after its end mark"))
            return True
        except (*FORESEEN, pa.ArrowException) as error:
            # Arrow raises various errors for an incomplete message.
            is_cut = isinstance(error, OSError) or (bounded is not None and bounded.is_cut)
            with self._room:
                if rank is None:
                    reason = BROKE_OFF if is_cut else error
                    self._note = plain_message(
                        message("rank {number} was refused: {reason}", number=number, reason=reason)
                    )
                elif not (is_cut or self._problem or self._is_stopped):
                    self._problem = plain_message(
                        message(
                            "rank {number} has sent invalid data: {error}",
                            number=number,
                            error=error,
                        )
                    )
            return False
        finally:
            if rank is not None:
                self._end(rank)

    def _begin(self, rank: RankStream, peer: socket.socket) -> None:
        """Add a rank to the job that is starting, or begin the next job with it.

        Wait until the previous job has ended. Raise ValueError if the rank cannot be added.
        """
        world = rank.header.replicas
        if world > MOST_RANKS:
            raise ValueError(
                message(
                    "its job has {ranks}: at most {most:,} are accepted",
                    ranks=ranks_text(world),
                    most=MOST_RANKS,
                )
            )
        with self._room:
            while self._merger is not None and not self._closed:
                self._note = message(
                    "rank {number} of another job waits until this one has ended",
                    number=rank.number,
                )
                self._room.wait()
            if self._closed:
                raise ValueError(message("no jobs are received any more"))
            self._forget_ended(JOINED_SECONDS)
            known = self._ranks.get(rank.number)
            if known is not None and not known.has_ended:
                raise ValueError(message("rank {number} is connected already", number=rank.number))
            # The ranks so far may belong to a job that ended before all of them had connected.
            worlds = {one.header.replicas for one in self._ranks.values()}
            if known is not None or worlds - {world}:
                self._ranks.clear()
            if not self._ranks:
                # These described the previous job.
                self._note = ""
                self._problem = ""
                self._is_stopped = False
            self._ranks[rank.number] = rank
            self._peers[rank.number] = peer
            self._since[rank.number] = time.monotonic()
            if len(self._ranks) == world:
                # The run's header lists the lanes of all ranks, so all must have connected.
                in_order = [self._ranks[number] for number in range(world)]
                self._merger = RankMerger(in_order)
                self._messages.append(self._merger.header)

    def _forget_ended(self, seconds: float) -> None:
        """Forget ranks that have ended and connected more than `seconds` ago."""
        latest = time.monotonic() - seconds
        kept: dict[int, RankStream] = {}
        for number, rank in self._ranks.items():
            if not rank.has_ended or self._since[number] > latest:
                kept[number] = rank
        self._ranks = kept

    def _take(self, rank: RankStream, batch: pa.RecordBatch) -> None:
        with self._room:
            # While this thread waits it reads nothing, so TCP makes the rank wait too.
            while self._rows > MOST_ROWS and not self._closed:
                self._room.wait()
            rank.take(batch)
            if self._merger is not None:
                self._report(self._merger.batches())

    def _report(self, batches: Iterator[pa.RecordBatch]) -> None:
        for batch in batches:
            self._rows += len(batch)
            self._messages.append(batch)

    def _end(self, rank: RankStream) -> None:
        """Note a rank's end. With the last rank the run ends."""
        with self._room:
            rank.has_ended = True
            # Keep the connection of a later rank with the same number.
            if self._ranks.get(rank.number) is rank:
                self._peers.pop(rank.number, None)
            if not self._is_stopped:
                self._note = self._problem or self._ended_early(rank)
            if self._merger is None:
                return
            if not all(one.has_ended for one in self._merger.ranks):
                return
            try:
                self._report(self._merger.last())
            except (*FORESEEN, pa.ArrowException) as error:
                problem = plain_message(
                    message("the ranks have sent invalid data: {error}", error=error)
                )
                if not self._is_stopped:
                    self._problem = self._problem or problem
            finally:  # the caller of `poll` waits for the end, whatever has failed
                ended = self._outcome(self._merger.ranks)
                self._note = ended.text
                self._messages.append(ended)
                self._merger = None
                self._problem = ""
                self._is_stopped = False
                self._room.notify_all()

    def _outcome(self, ranks: list[RankStream]) -> Ended:
        """Return the end of the run, with the reason if it has failed."""
        broken = [rank.number for rank in ranks if rank.trace.outcome is None]
        failed = [rank.number for rank in ranks if rank.trace.outcome == "failed"]
        if failed:
            return Ended(
                Outcome.FAILED, message("rank {rank} of the job has failed", rank=failed[0])
            )
        if self._is_stopped:
            return Ended(Outcome.STOPPED)
        if self._problem:
            return Ended(Outcome.FAILED, self._problem)
        if broken:
            return Ended(Outcome.FAILED, _broke_off(broken[0]))
        return Ended(Outcome.FINISHED)

    def _ended_early(self, rank: RankStream) -> Text:
        """Describe a rank's end if it broke off or came too early; "" for a normal end."""
        is_broken = rank.trace.outcome is None
        if self._merger is not None and not is_broken:
            return ""
        number = rank.number
        if self._merger is not None:
            return _broke_off(number)
        end = _broke_off(number) if is_broken else message("rank {rank} has ended", rank=number)
        return message(
            "{end}; {connected} of {ranks} had connected, and nothing can be shown without the "
            "others",
            end=end,
            connected=len(self._ranks),
            ranks=ranks_text(rank.header.replicas),
        )


def _broke_off(rank: int) -> Message:
    return message("rank {rank} broke off: {reason}", rank=rank, reason=BROKE_OFF)


def _peer_of(rank: RankStream) -> Peer:
    return Peer(
        rank=rank.number,
        host=str(rank.header.hardware.get("host", "")),
        is_here=not rank.has_ended,
        steps=rank.latest + 1,
        waiting=rank.trace.span_count,
        half_width=rank.half_width,
        drifts=rank.drifts,
    )


class _BoundedReader:
    """Reads a stream with a limit on message size: a damaged length could take all memory.

    The limit also holds for the unpacked size of a compressed message.
    """

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._unpack_limit = UnpackLimit(MOST_MESSAGE, MOST_MESSAGE)
        self.closed = False
        self.is_cut = False
        """True once a read has returned fewer bytes than requested."""

    def read(self, size: int = -1) -> bytes:
        """Return `size` bytes, or fewer at the end. Raise TooLarge for more than MOST_MESSAGE."""
        if not 0 <= size <= MOST_MESSAGE:
            raise TooLarge(
                message(
                    "a message has {size:,} bytes: at most {most:,} are accepted",
                    size=size,
                    most=MOST_MESSAGE,
                )
            )
        data = self._file.read(size)
        self.is_cut |= len(data) < size
        # Checked before Arrow gets the bytes, because it unpacks a complete message at once.
        self._unpack_limit.take(data)
        return data
