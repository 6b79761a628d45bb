"""Listens to training jobs for the window: what their ranks stream comes out as a run's messages.

The messages are those that the engine sends of a run, so that a job's run is drawn, kept and saved
as any other. Whoever draws asks with `poll`; if it is slow, ranks wait to be read, and their own
queues leave out whole steps and say how many.
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

from core.engine.messages import Ended, Message, Outcome
from core.job.joining import Coming, Joining
from core.plain import error_text
from core.reading import FORESEEN
from core.recording.handshakes import Refusals
from core.recording.limits import TooLarge
from core.recording.listener import Listener, shut
from core.recording.schema import read_header
from core.recording.unpack_limit import UnpackLimit

MOST_ROWS = 1 << 18
"""That wait for `poll`; ranks wait to be read beyond them."""
MOST_MESSAGE = 1 << 26
"""Bytes of one message of a rank's stream."""
MOST_RANKS = 1024
JOINED_SECONDS = 10.0
"""Within which the ranks of a job connect: they do so in their first update, which is at the same
time on all. A rank that came earlier, and has ended, is of a job that broke off before the others
came."""
STOPPED = "stopped"
BROKE_OFF = "its job was killed or its connection lost"


@dataclass(frozen=True, slots=True)
class Peer:
    """A rank that is or was connected.

    `steps` it has sent, `waiting` spans of them that other ranks have not sent; `half_width` in ns
    is how far its times may be off, inf if its clock was not compared; `drifts` says that it was
    compared at the beginning only, so that what it has drifted since is not in that.
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
    """What there is to say of a job: its ranks so far of `world`, and how many steps are left out.

    `refused` connections did not show the token; `problem` says what went wrong last, with a rank
    or with the job, "" if nothing did since it began.
    """

    peers: tuple[Peer, ...] = ()
    world: int = 0
    left_out: int = 0
    refused: int = 0
    problem: str = ""


class JobClient:
    """Accepts ranks over TCP until `close`, and joins them to one run at a time.

    A second job's ranks block until the first one has ended.
    """

    def __init__(self, host: str, port: int) -> None:
        """Raises OSError if the address cannot be listened on."""
        self._messages: deque[Message] = deque()
        self._rows = 0
        self._refusals = Refusals(lambda _: None)
        self._note = ""
        self._room = threading.Condition()
        self._ranks: dict[int, Coming] = {}
        self._since: dict[int, float] = {}
        self._peers: dict[int, socket.socket] = {}
        self._joining: Joining | None = None
        self._closed = False
        self._problem = ""
        self._listener = Listener(host, port, self._receive, self._tell, self._refusals)
        self.where = self._listener.where

    @property
    def address(self) -> str:
        """The address that a job is given as `out`."""
        return self.where.with_token

    def poll(self) -> list[Message]:
        """What has come since it was last asked, in its order; each message once."""
        with self._room:
            messages, self._rows = list(self._messages), 0
            self._messages.clear()
            # Readers that wait because MOST_ROWS were reached go on.
            self._room.notify_all()
        return messages

    def status(self) -> JobStatus:
        """Snapshot: ranks connected, steps dropped, connections refused."""
        with self._room:
            ranks = sorted(self._ranks.values(), key=lambda rank: rank.number)
            peers = tuple(
                Peer(rank.number, str(rank.header.hardware.get("host", "")), not rank.has_ended,
                     rank.latest + 1, rank.trace.span_count, rank.half_width, rank.drifts)
                for rank in ranks
            )  # fmt: skip
            world = ranks[0].header.replicas if ranks else 0
            left_out = 0 if self._joining is None else self._joining.left_out
            return JobStatus(peers, world, left_out, self._refusals.count, self._note)

    def stop(self) -> None:
        """End the run that is under way: its ranks are let go, and their jobs go on."""
        with self._room:
            peers = list(self._peers.values())
            # Before their connections are cut, or the run would end as one that broke off.
            if peers:
                self._problem = self._problem or STOPPED
            if self._joining is None:
                # What has ended waits for ranks of a job that is given up.
                self._forget_ended(0.0)
        for peer in peers:
            shut(peer)

    def close(self) -> None:
        """Listen no more, and end the run that is under way."""
        with self._room:
            self._closed = True
            self._room.notify_all()
        self.stop()
        self._listener.close()

    def _tell(self, text: str) -> None:
        with self._room:
            self._note = text

    def _receive(self, peer: socket.socket, rank: int) -> bool:
        """Read a rank's stream to its end, on its own thread; whether it came to it."""
        came: Coming | None = None
        limited: _Limited | None = None
        try:
            with peer.makefile("rb") as file:
                limited = _Limited(file)
                reader = pa.ipc.open_stream(pa.PythonFile(limited, "r"))
                coming = Coming(rank, read_header(reader.schema, f"rank {rank}"))
                self._begin(coming, peer)
                # Only now is it a rank of the run: one that `_begin` refused must not end it.
                came = coming
                for batch in reader:
                    batch.validate(full=True)
                    self._take(came, batch)
                # Arrow's reader stops at the mark of the end; a recorder sends nothing after it.
                if file.read(1):
                    raise ValueError("it goes on behind its end")
            return True
        except (*FORESEEN, pa.ArrowException) as error:
            # Whatever Arrow makes of a message that is not all there.
            is_cut = isinstance(error, OSError) or (limited is not None and limited.is_cut)
            with self._room:
                if came is None:
                    why = BROKE_OFF if is_cut else error
                    self._note = error_text(f"rank {rank} was refused: {why}")
                elif not is_cut and not self._problem:
                    self._problem = error_text(f"rank {rank} tells what makes no sense: {error}")
            return False
        finally:
            if came is not None:
                self._end(came)

    def _begin(self, rank: Coming, peer: socket.socket) -> None:
        """A rank of the job that is awaited, or of the next one. Raises ValueError if of none."""
        with self._room:
            while self._joining is not None and not self._closed:
                self._note = f"rank {rank.number} of another job waits until this one has ended"
                self._room.wait()
            self._forget_ended(JOINED_SECONDS)
            known = self._ranks.get(rank.number)
            if known is not None and not known.has_ended:
                raise ValueError(f"rank {rank.number} is here")
            # The ranks so far are of a job that ended before all had come: this begins the next.
            if known is not None or any(
                one.header.replicas != rank.header.replicas for one in self._ranks.values()
            ):
                self._ranks.clear()
            if self._closed or rank.header.replicas > MOST_RANKS:
                raise ValueError("there is no room for it")
            if not self._ranks:
                self._note = self._problem = ""  # they were of the job before
            self._ranks[rank.number], self._peers[rank.number] = rank, peer
            self._since[rank.number] = time.monotonic()
            if len(self._ranks) == rank.header.replicas:
                # A run's header lists the lanes of all ranks, so nothing can be shown before the
                # last is here.
                self._joining = Joining([self._ranks[n] for n in range(len(self._ranks))])
                self._messages.append(self._joining.header)

    def _forget_ended(self, seconds: float) -> None:
        """Forget ranks that came more than so many seconds ago and have ended."""
        latest = time.monotonic() - seconds
        self._ranks = {
            number: rank
            for number, rank in self._ranks.items()
            if not rank.has_ended or self._since[number] > latest
        }

    def _take(self, rank: Coming, batch: pa.RecordBatch) -> None:
        with self._room:
            # While this thread waits it reads nothing, and TCP makes the rank wait in turn.
            while self._rows > MOST_ROWS and not self._closed:
                self._room.wait()
            rank.take(batch)
            if self._joining is not None:
                self._report(self._joining.batches())

    def _report(self, batches: Iterator[pa.RecordBatch]) -> None:
        for batch in batches:
            self._rows += len(batch)
            self._messages.append(batch)

    def _end(self, rank: Coming) -> None:
        """A rank has ended; after the last one the run has."""
        with self._room:
            rank.has_ended = True
            # A rank of the same number may have come since, whose connection must be kept.
            if self._peers.get(rank.number) is not None and self._ranks.get(rank.number) is rank:
                del self._peers[rank.number]
            if self._problem != STOPPED:
                self._note = self._problem or self._ended_early(rank)
            if self._joining is None or not all(one.has_ended for one in self._joining.ranks):
                return
            try:
                self._report(self._joining.last())
            except (*FORESEEN, pa.ArrowException) as error:
                problem = error_text(f"what the ranks tell makes no sense: {error}")
                self._problem = self._problem or problem
            finally:  # whoever draws waits for the end
                ended = self._outcome(self._joining.ranks)
                self._note = ended.text
                self._messages.append(ended)
                self._joining, self._problem = None, ""
                self._room.notify_all()

    def _outcome(self, ranks: list[Coming]) -> Ended:
        broken = [rank.number for rank in ranks if rank.trace.outcome is None]
        failed = [rank.number for rank in ranks if rank.trace.outcome == "failed"]
        if failed:
            return Ended(Outcome.FAILED, f"rank {failed[0]} of the job has failed")
        if self._problem == STOPPED or not (broken or self._problem):
            outcome = Outcome.STOPPED if self._problem else Outcome.FINISHED
            return Ended(outcome)
        text = self._problem or f"rank {broken[0]} broke off: {BROKE_OFF}"
        return Ended(Outcome.FAILED, text)

    def _ended_early(self, rank: Coming) -> str:
        """Return what is wrong with a rank's end; "" if nothing is."""
        is_broken = rank.trace.outcome is None
        if self._joining is not None and not is_broken:
            return ""
        how = f"broke off: {BROKE_OFF}" if is_broken else "has ended"
        if self._joining is not None:
            return f"rank {rank.number} {how}"
        came = f"{len(self._ranks)} of {rank.header.replicas} ranks had connected"
        return f"rank {rank.number} {how}; {came}, and nothing can be shown without the others"


class _Limited:
    """Reads no message larger than one can be: a damaged length would ask for all memory.

    So would a small one that unpacks to a large one.
    """

    def __init__(self, file: BufferedReader) -> None:
        self._file, self._unpack_limit = file, UnpackLimit(MOST_MESSAGE, MOST_MESSAGE)
        self.closed = False
        self.is_cut = False
        """True once a read has got less than it asked for."""

    def read(self, size: int = -1) -> bytes:
        """As many bytes as are asked for, fewer at the end. Raises TooLarge if it is too many."""
        if not 0 <= size <= MOST_MESSAGE:
            raise TooLarge(f"a message has {size:,} bytes: {MOST_MESSAGE:,} are taken")
        data = self._file.read(size)
        self.is_cut |= len(data) < size
        # Before Arrow sees the bytes: it unpacks a message as soon as it has it.
        self._unpack_limit.take(data)
        return data
