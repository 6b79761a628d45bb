"""A rank's stream over TCP to a listener (`bubblescope listen`), instead of into a file.

A connection begins with MAGIC, the token in hexadecimal digits and the rank's number; then follows
the recording as a file would have it. TCP keeps its order and delivers nothing twice, and nothing
is sent again after a break: so every span arrives once, up to where the connection broke.
"""

from __future__ import annotations

import io
import socket
import struct
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

SCHEME = "tcp"
MAGIC = b"bubblescope 1\n"
TOKEN_BYTES = 32
OPENING = struct.Struct(f">{len(MAGIC)}s{TOKEN_BYTES}sH")
ALL_HERE = b"."
PATIENCE_SECONDS = 5.0
"""After which a listener that takes nothing is given up."""


def is_address(out: str) -> bool:
    """Whether a recording goes to a listener and not into a folder."""
    return out.startswith(f"{SCHEME}://")


class Wire(io.RawIOBase):
    """A connection to a listener as a file to write; its end is said to have arrived, or raises."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer

    def writable(self) -> bool:  # noqa: D102
        return True

    def write(self, data: Buffer) -> int:
        """Send all of it. Raises OSError if the listener is gone or takes nothing for long."""
        self._peer.sendall(data)
        return memoryview(data).nbytes

    def close(self) -> None:
        """End what is sent. Raises OSError unless the listener says that it has everything."""
        if self.closed:
            return
        super().close()
        with self._peer:
            # Only this way: the listener reads an end, and answers on the other.
            self._peer.shutdown(socket.SHUT_WR)
            if self._peer.recv(1) != ALL_HERE:
                raise OSError("the listener ended before it had everything")


def connect(out: str, rank: int) -> Wire:
    """Connect to `tcp://TOKEN@HOST:PORT`. Raises OSError or ValueError if that cannot be done."""
    parts = urlsplit(out)
    if not parts.hostname or not parts.port or not parts.username:
        raise ValueError(f"{out}: give tcp://TOKEN@HOST:PORT, as `bubblescope listen` shows it")
    wire = Wire(socket.create_connection((parts.hostname, parts.port), PATIENCE_SECONDS))
    wire.write(OPENING.pack(MAGIC, parts.username.encode()[:TOKEN_BYTES], rank))
    return wire
