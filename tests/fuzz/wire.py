"""Damaged streams of a rank over TCP: the listener reports an end, and accepts the next job.

A file is all that one connection sends. Beside what is done to files, whole messages of it are
swapped and repeated, lengths become huge, and the token is wrong.
"""

from __future__ import annotations

import socket
import struct
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from random import Random

import pyarrow as pa

TOKEN = b"0123456789abcdef" * 2
CONTINUATION = b"\xff\xff\xff\xff"
WHOLE_EACH = 10
"""After so many connections a whole job is sent, which has to arrive."""
SECONDS = 8.0


class NotHeard(ValueError):
    """A job did not arrive as it would have been; the message names the file and says why."""


@cache
def wire_files() -> list[tuple[str, bytes]]:
    """Streams of rank 1 of a job: with drifting clocks, with few steps, and compressed."""
    from core.recorder.wire import MAGIC, OPENING
    from tests.core.recording.test_unpack_limit import packed_by

    opening = OPENING.pack(MAGIC, TOKEN, 1)
    drifting, short = _ranks((10**12, 10**12 + 500), 6)[1], _ranks((0, 0), 2)[1]
    sent = (drifting, short, packed_by("zstd", drifting, 0), packed_by("lz4", short, 300))
    return [(".wire", opening + stream) for stream in sent]


def open_wire(path: Path, number: int) -> None:
    """Send it beside rank 0, draw what comes out, and sometimes send a whole job then."""
    data, random = path.read_bytes(), Random(number)
    if data not in [whole for _, whole in wire_files()]:
        data = random.choice((_as_it_is, _as_it_is, _swapped, _repeated, _huge, _strange))(
            data, random
        )
    told = _heard(data, random)
    if number % WHOLE_EACH == 0:
        whole = _heard(wire_files()[0][1], random)
        assert whole == "", whole
    if told:
        raise NotHeard(f"{path}: {told}")


@cache
def _ranks(ahead: tuple[int, int], steps: int) -> tuple[bytes, bytes]:
    from tests.core.recorder.made import two_ranks

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        two_ranks(folder, ahead, (range(steps), range(steps)), "finished")
        first, second = ((folder / f"rank-{rank}.arrow").read_bytes() for rank in (0, 1))
    return first, second


@cache
def _listening() -> tuple[object, list[str]]:
    """A listener, and the exceptions of its threads."""
    from core.job.client import JobClient

    failed: list[str] = []
    threading.excepthook = lambda told: failed.append(f"{told.exc_type}: {told.exc_value}")
    hearing = JobClient("127.0.0.1", 0)
    hearing._listener._handshakes._token = TOKEN
    return hearing, failed


def _heard(data: bytes, random: Random) -> str:
    """Return what is wrong with a run whose rank 1 sends this; nothing if it ends as it should."""
    from core.engine.messages import Ended, Outcome
    from core.job.client import JobClient
    from core.recorder.wire import MAGIC, OPENING
    from core.recording.decode import append_batch
    from core.trace.header import Header
    from core.trace.trace import Trace

    hearing, failed = _listening()
    assert isinstance(hearing, JobClient)
    first = OPENING.pack(MAGIC, TOKEN, 0) + _ranks((0, 0), 6)[0]
    sent = [_sends(hearing, piece, random) for piece in (first, data)]
    trace, why = None, "no run came of it"
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        are_sent = not any(thread.is_alive() for thread in sent)
        is_here = any(peer.is_here for peer in hearing.status().peers)
        for message in hearing.poll():
            if isinstance(message, Header):
                assert trace is None, "two runs came of one job"
                trace = Trace(message)
            elif isinstance(message, pa.RecordBatch):
                assert trace is not None
                append_batch(trace, message)
            elif isinstance(message, Ended):
                assert trace is not None
                told = [(span.step, span.task) for span in trace]
                assert len(told) == len(set(told)), "a span came twice"
                trace = None
                why = "" if message.outcome is Outcome.FINISHED else str(message.text) or "it ended"
        assert not failed, failed
        if are_sent and not is_here and trace is None:
            return why
        time.sleep(0.0005)
    raise AssertionError("it has no end")


def _sends(hearing: object, data: bytes, random: Random) -> threading.Thread:
    """A peer that sends this in pieces, and reads until it is let go."""
    cuts = sorted(random.randrange(len(data) + 1) for _ in range(random.choice((0, 1, 5))))
    pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    port: int = hearing.where.port  # type: ignore[attr-defined]

    def send() -> None:
        with socket.create_connection(("127.0.0.1", port), SECONDS) as peer:
            try:
                for piece in pieces:
                    peer.sendall(piece)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(64):
                    pass
            except OSError:
                return  # it was let go before

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    return thread


def _as_it_is(data: bytes, random: Random) -> bytes:
    return data


def _swapped(data: bytes, random: Random) -> bytes:
    messages = data.split(CONTINUATION)
    a, b = (random.randrange(len(messages)) for _ in range(2))
    messages[a], messages[b] = messages[b], messages[a]
    return CONTINUATION.join(messages)


def _repeated(data: bytes, random: Random) -> bytes:
    messages = data.split(CONTINUATION)
    at = random.randrange(len(messages))
    return CONTINUATION.join(messages[:at] + messages[at : at + 1] * 3 + messages[at + 1 :])


def _huge(data: bytes, random: Random) -> bytes:
    """A length somewhere, of a message most often, is one that nothing has."""
    places = [at for at in range(len(data)) if data[at : at + 4] == CONTINUATION] or [0]
    at = random.choice(places) + random.choice((4, 4, 8, 32, 40))
    length = random.choice((2**31 - 1, 2**30, 1 << 26, (1 << 26) + 1, 2**32 - 1, 1 << 20))
    return data[:at] + struct.pack("<I", length) + data[at + 4 :]


def _strange(data: bytes, random: Random) -> bytes:
    return data.replace(TOKEN, random.randbytes(len(TOKEN)))
