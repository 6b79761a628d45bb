"""Sends a rank's stream over TCP to a listener (`bubblescope listen`), instead of into a file.

A connection begins with MAGIC, the token in hexadecimal digits and the rank's number. The recording
follows, as it would be in a file. TCP keeps the order and delivers nothing twice, and nothing is
sent again after a break. So every span arrives once, up to the point where the connection broke.
"""

from __future__ import annotations

import io
import os
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

SCHEME = "tcp"
TOKEN_VARIABLE = "BUBBLESCOPE_TOKEN"
"""Environment variable with the token, for an address without one.

Other users of the machine can read a command's arguments, but not its environment.
"""
MAGIC = b"bubblescope 1\n"
TOKEN_BYTES = 32
OPENING = struct.Struct(f">{len(MAGIC)}s{TOKEN_BYTES}sH")
ALL_HERE = b"."
TIMEOUT_SECONDS = 5.0
"""Timeout of the connection, and of the answer that everything has arrived."""
LISTENER_GONE = "the listener ended before it had received everything"
STALL_SECONDS = 600.0
"""Timeout of a listener that reads nothing. Until then steps wait, or are left out."""


@dataclass(frozen=True, slots=True)
class Address:
    """A listener's address and token."""

    host: str
    port: int
    token: str

    @property
    def place(self) -> str:
        """`HOST:PORT`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def without_token(self) -> str:
        """`tcp://HOST:PORT`."""
        return f"{SCHEME}://{self.place}"

    @property
    def with_token(self) -> str:
        """`tcp://TOKEN@HOST:PORT`."""
        return f"{SCHEME}://{self.token}@{self.place}"


def is_address(out: str) -> bool:
    """Return True if `out` is a listener's address and not a folder."""
    return out.startswith(f"{SCHEME}://")


def parse_address(out: str) -> Address:
    """Parse `tcp://TOKEN@HOST:PORT`, or `tcp://HOST:PORT` with the token in TOKEN_VARIABLE.

    Raise ValueError if a part is missing; its message is one line without the token.
    """
    # The token must not appear in a log. Like in urlsplit, it ends at the last @.
    _, _, place = out.removeprefix(f"{SCHEME}://").rpartition("@")
    shown = f"{SCHEME}://{place}"
    form = "as `bubblescope listen` shows it"
    try:
        parts = urlsplit(out)
        host = parts.hostname
        port = parts.port
    except ValueError:  # such as a port that is not a number
        host = None
        port = None
    if not host or not port:
        raise ValueError(f"{shown}: give tcp://HOST:PORT and set {TOKEN_VARIABLE}, {form}")
    token = parts.username or os.environ.get(TOKEN_VARIABLE)
    if not token:
        raise ValueError(f"{shown}: there is no token: set {TOKEN_VARIABLE}, {form}")
    return Address(
        host=host,
        port=port,
        token=token,
    )


def record_command(address: Address) -> str:
    """Return the command that sends a job to a listener; ` -- COMMAND` must follow.

    The token is in its environment, because all users of a machine can read a command's arguments.
    """
    out = address.without_token
    return f"{TOKEN_VARIABLE}={address.token} bubblescope record --out {out}"


class Wire(io.RawIOBase):
    """A connection to a listener, as a file to write. `close` raises unless all data arrived."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Buffer) -> int:
        """Send all data. Raise OSError if the listener is gone or reads nothing for a long time."""
        try:
            self._peer.sendall(data)
        except ConnectionError as error:
            raise OSError(LISTENER_GONE) from error
        return memoryview(data).nbytes

    def close(self) -> None:
        """End the stream. Raise OSError unless the listener answers that it has everything."""
        if self.closed:
            return
        super().close()
        with self._peer:
            self._peer.settimeout(TIMEOUT_SECONDS)
            try:
                # Close only this direction: the listener reads an end of file and then answers.
                self._peer.shutdown(socket.SHUT_WR)
                answer = self._peer.recv(1)
            except TimeoutError:
                raise
            except OSError as error:  # such as a lost connection
                raise OSError(LISTENER_GONE) from error
            if answer != ALL_HERE:
                raise OSError(LISTENER_GONE)


def connect(out: str, rank: int) -> Wire:
    """Connect to a listener's address. Raise OSError or ValueError if that fails."""
    address = parse_address(out)
    opening = OPENING.pack(MAGIC, address.token.encode()[:TOKEN_BYTES], rank)
    peer = socket.create_connection((address.host, address.port), TIMEOUT_SECONDS)
    try:
        peer.sendall(opening)
        peer.settimeout(STALL_SECONDS)
    except OSError:
        peer.close()
        raise
    return Wire(peer)
