"""Reads the first bytes of new connections and admits those with the token."""

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

from core.message import Text, counted, message
from core.recorder.wire import MAGIC, OPENING

HELLO_SECONDS = 5.0
"""Time limit for a connection to send the token."""
MOST_UNKNOWN = 256
"""Largest number of connections that have not sent the token yet; beyond it, one is closed.

The number is also limited to a quarter of the files that the process may open.
"""
ACCEPTED_AT_ONCE = 64
"""Largest number of connections that are accepted before open connections are read again."""
REPORT_SECONDS = 60.0
"""Time between two lines that count refused connections."""
FULL_SECONDS = 0.1
"""Pause while the process cannot open more files."""
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
ReportLine = Callable[[Text], None]
"""Called with a line about a connection, from any thread."""
Admit = Callable[[socket.socket, int], None]
"""Called with a connection that has sent the token, and the number of its rank."""


class Refusals:
    """Counts connections without the token.

    `report_line` gets a line for the first one immediately, and then at most one a minute for the
    others.
    """

    def __init__(self, report_line: ReportLine) -> None:
        self._report_line = report_line
        self._unreported = 0
        self._next = 0.0
        self.count = 0

    def add(self) -> None:
        """Count a refused connection."""
        self.count += 1
        self._unreported += 1
        self.report()

    def report(self, is_last: bool = False) -> None:
        """Report new refusals if a minute has passed, or if it is the last report."""
        now = time.monotonic()
        if not self._unreported or (now < self._next and not is_last):
            return
        if self.count == 1:
            text = message("a connection without the token was refused")
        else:
            text = counted(
                "{n:,} more connection without the token was refused",
                "{n:,} more connections without the token were refused",
                self._unreported,
            )
        self._report_line(text)
        self._unreported = 0
        self._next = now + REPORT_SECONDS

    @property
    def wait(self) -> float | None:
        """Seconds until the next report; None if there is nothing to report."""
        if not self._unreported:
            return None
        return max(0.0, self._next - time.monotonic())


@dataclass(slots=True)
class _Unknown:
    """A connection that has not sent the token yet, and the data that it has sent."""

    peer: socket.socket
    host: str
    since: float
    data: bytearray = field(default_factory=bytearray)


class Handshakes:
    """Accepts connections on a separate thread until `close`, without waiting for any of them.

    `admit` gets each connection that sends the token. All others are closed and counted:
    connections that send something else or are too slow, and if there are too many, the oldest ones
    of the host with the most. So a flood of connections cannot keep out a rank, which sends the
    token when it connects.
    """

    def __init__(self, server: socket.socket, token: str, admit: Admit, refusals: Refusals) -> None:
        self._server = server
        self._token = token.encode()
        self._admit = admit
        self._server.setblocking(False)
        self._refusals = refusals
        self.waiting: dict[int, _Unknown] = {}
        """Connections that have not sent the token yet, oldest first, by file descriptor."""
        self._most = min(MOST_UNKNOWN, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._is_over = False
        self._waker, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for one in (self._server, self._woken):
            self._selector.register(one, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True, name="listener")
        self._thread.start()

    def close(self) -> None:
        """Stop accepting, and close all connections that were not admitted."""
        if self._is_over:
            return
        self._is_over = True
        self._waker.send(b".")
        self._thread.join()
        for unknown in self.waiting.values():
            unknown.peer.close()
        for one in (self._selector, self._server, self._waker, self._woken):
            one.close()
        self._refusals.report(is_last=True)

    def _run(self) -> None:
        while not self._is_over:
            for key, _ in self._selector.select(self._timeout()):
                if isinstance(key.data, _Unknown):
                    self._read(key.data)
            self._accept()
            self._refuse_late_connections()
            self._refusals.report()

    def _timeout(self) -> float | None:
        """Return the seconds until the next deadline; None if there is none."""
        oldest = next(iter(self.waiting.values()), None)
        waits = []
        if oldest is not None:
            waits.append(oldest.since + HELLO_SECONDS - time.monotonic())
        if self._refusals.wait is not None:
            waits.append(self._refusals.wait)
        if not waits:
            return None
        return max(0.0, min(waits))

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                peer, address = self._server.accept()
            except OSError as error:
                if error.errno in _FULL and not self._make_room():
                    time.sleep(FULL_SECONDS)  # until a rank ends and closes its file
                return  # no connection is pending, or the pending one was closed
            peer.setblocking(False)
            unknown = _Unknown(
                peer=peer,
                host=str(address[0]),
                since=time.monotonic(),
            )
            self.waiting[peer.fileno()] = unknown
            self._selector.register(peer, selectors.EVENT_READ, unknown)
            # A job sends the token when it connects, so it has usually arrived.
            self._read(unknown)
            if len(self.waiting) > self._most:
                self._make_room()

    def _make_room(self) -> bool:
        """Close the oldest connection of the host with the most; return False if there are none."""
        if not self.waiting:
            return False
        # In the order in which they connected.
        waiting = list(self.waiting.values())
        connections = Counter(one.host for one in waiting)
        [(host, _)] = connections.most_common(1)
        oldest = next(one for one in waiting if one.host == host)
        self._read(oldest)  # its token may have arrived since it was read last
        if oldest.peer.fileno() in self.waiting:
            self._refuse(oldest)
        return True

    def _refuse_late_connections(self) -> None:
        latest = time.monotonic() - HELLO_SECONDS
        # A copy, because `_refuse` removes entries.
        for unknown in list(self.waiting.values()):
            if unknown.since <= latest:
                self._refuse(unknown)

    def _read(self, unknown: _Unknown) -> None:
        """Read the bytes that have arrived; admit or refuse the connection once they suffice."""
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
            # In constant time: the duration must not reveal how many bytes are right.
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
