"""A TCP proxy whose network can go silent: it takes bytes, passes none on, and closes nothing."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

LOOPBACK = "127.0.0.1"
PIECE = 1 << 16


class SilentLink:
    """Passes connections to `port` on to a port of the loopback interface, until `go_silent`.

    A context manager: the sockets close at its end.
    """

    def __init__(self, to: int) -> None:
        self._to = to
        self._is_silent = threading.Event()
        self._server = socket.create_server((LOOPBACK, 0))
        self._sockets = [self._server]
        self.port = int(self._server.getsockname()[1])

    def __enter__(self) -> SilentLink:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def go_silent(self) -> None:
        """Pass nothing on from now on, not even the end of a connection."""
        self._is_silent.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection((LOOPBACK, self._to))
                self._sockets += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(PIECE):
                if not self._is_silent.is_set():
                    target.sendall(piece)
        if not self._is_silent.is_set():
            with suppress(OSError):
                target.shutdown(socket.SHUT_WR)
