"""Reads the first bytes of new connections, and lets in those that show the token."""

from __future__ import annotations

import errno
import hmac
import resource
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from core.plain import counted
from core.recorder.wire import MAGIC, OPENING

HELLO_SECONDS = 5.0
"""In which a connection has to show the token."""
MOST_UNKNOWN = 256
"""Connections that have not shown the token yet; beyond them the oldest is closed.

There are fewer where the process may open few files: a quarter of them at most.
"""
ACCEPTED_AT_ONCE = 64
"""Connections that are accepted before those that are open are looked at again."""
TELL_SECONDS = 60.0
"""Between two lines that count refused connections."""
FULL_SECONDS = 0.1
"""Pause while this process can open no more files."""
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
Say = Callable[[str], None]
Admit = Callable[[socket.socket, int], None]
"""Takes a connection that has shown the token, and the number of its rank."""


class Refusals:
    """Counts connections without the token.

    `say` gets a line for the first one at once, and then at most one a minute for all others.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._unsaid = 0
        self._next = 0.0
        self.count = 0

    def add(self) -> None:
        """Count one more."""
        self.count += 1
        self._unsaid += 1
        self.tell()

    def tell(self, is_last: bool = False) -> None:
        """Say how many were not mentioned yet, if there are any and a minute has passed."""
        now = time.monotonic()
        if not self._unsaid or (now < self._next and not is_last):
            return
        if self.count == 1:
            self._say("a connection without the token was refused")
        else:
            more = counted(self._unsaid, "more connection")
            were = "was" if self._unsaid == 1 else "were"
            self._say(f"{more} without the token {were} refused")
        self._unsaid, self._next = 0, now + TELL_SECONDS

    @property
    def wait(self) -> float | None:
        """Seconds until there is something to say; None if there is nothing."""
        return max(0.0, self._next - time.monotonic()) if self._unsaid else None


@dataclass(slots=True)
class _Unknown:
    """A connection that has not shown the token yet, and what it has sent so far."""

    peer: socket.socket
    host: str
    since: float
    data: bytearray = field(default_factory=bytearray)


class Handshakes:
    """Accepts connections on a thread of its own until `close`, waiting for none of them.

    `admit` gets each one that shows the token. All others are closed and counted: those that send
    something else, that take too long however slowly they send, and the oldest where too many
    wait. So strangers, however many, keep nobody out who sends the token when it connects.
    """

    def __init__(self, server: socket.socket, token: str, admit: Admit, refusals: Refusals) -> None:
        self._server, self._token, self._admit = server, token.encode(), admit
        self._server.setblocking(False)
        self._refusals = refusals
        self.waiting: dict[int, _Unknown] = {}
        """Connections without the token so far, the oldest first, by file descriptor."""
        self._most = min(MOST_UNKNOWN, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._is_over = False
        self._waker, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for one in (self._server, self._woken):
            self._selector.register(one, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True, name="listener")
        self._thread.start()

    def close(self) -> None:
        """Accept no more, and close all connections that were not admitted."""
        if self._is_over:
            return
        self._is_over = True
        self._waker.send(b".")
        self._thread.join()
        for unknown in self.waiting.values():
            unknown.peer.close()
        for one in (self._selector, self._server, self._waker, self._woken):
            one.close()
        self._refusals.tell(is_last=True)

    def _run(self) -> None:
        while not self._is_over:
            for key, _ in self._selector.select(self._patience()):
                if isinstance(key.data, _Unknown):
                    self._read(key.data)
            self._accept()
            self._refuse_late_ones()
            self._refusals.tell()

    def _patience(self) -> float | None:
        """Seconds until something has to be done though nothing arrives; None for never."""
        oldest = next(iter(self.waiting.values()), None)
        late = None if oldest is None else oldest.since + HELLO_SECONDS - time.monotonic()
        waits = [wait for wait in (late, self._refusals.wait) if wait is not None]
        return max(0.0, min(waits)) if waits else None

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                peer, address = self._server.accept()
            except OSError as error:
                if error.errno in _FULL and not self._make_room():
                    time.sleep(FULL_SECONDS)  # until a rank ends and closes its file
                return  # nobody is left, or the one that was there has gone
            peer.setblocking(False)
            unknown = _Unknown(peer, str(address[0]), time.monotonic())
            self.waiting[peer.fileno()] = unknown
            self._selector.register(peer, selectors.EVENT_READ, unknown)
            # A job sends the token as soon as it is connected, so it is mostly here already.
            self._read(unknown)
            if len(self.waiting) > self._most:
                self._make_room()

    def _make_room(self) -> bool:
        """Close the oldest connection of the host that has most; False if there is none."""
        if not self.waiting:
            return False
        [(host, _)] = Counter(one.host for one in self.waiting.values()).most_common(1)
        oldest = next(one for one in self.waiting.values() if one.host == host)
        self._read(oldest)  # its token may have arrived since it was looked at
        if oldest.peer.fileno() in self.waiting:
            self._refuse(oldest)
        return True

    def _refuse_late_ones(self) -> None:
        latest = time.monotonic() - HELLO_SECONDS
        for unknown in [one for one in self.waiting.values() if one.since <= latest]:
            self._refuse(unknown)

    def _read(self, unknown: _Unknown) -> None:
        """Read what is there of a connection's opening, and admit or refuse it if that decides."""
        try:
            piece = unknown.peer.recv(OPENING.size - len(unknown.data))
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        unknown.data += piece
        begin = bytes(unknown.data[: len(MAGIC)])
        if not piece or not MAGIC.startswith(begin):
            self._refuse(unknown)
        elif len(unknown.data) == OPENING.size:
            _, token, rank = OPENING.unpack(unknown.data)
            # In constant time: how long it takes must not tell how many of its bytes are right.
            if hmac.compare_digest(token, self._token):
                self._forget(unknown)
                unknown.peer.setblocking(True)
                self._admit(unknown.peer, int(rank))
            else:
                self._refuse(unknown)

    def _refuse(self, unknown: _Unknown) -> None:
        self._forget(unknown)
        unknown.peer.close()
        self._refusals.add()

    def _forget(self, unknown: _Unknown) -> None:
        del self.waiting[unknown.peer.fileno()]
        with suppress(KeyError):
            self._selector.unregister(unknown.peer)
