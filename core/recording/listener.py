"""Takes ranks' recordings over TCP, each for itself, whatever else connects.

A peer must know the token, which is compared in constant time; whoever says something else, or
nothing within a few seconds, is let go. Of each peer one piece is in memory at a time, so a slow
disk slows the sender, whose own queue then leaves out whole steps and says how many. A recording is
written as it comes and never read here: what it holds is judged by whoever opens the file.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.recorder.wire import ALL_HERE, MAGIC, OPENING, TOKEN_BYTES

HELLO_SECONDS = 5.0
MOST_PEERS = 1024
MOST_UNKNOWN = 64
"""Connections that have not shown the token yet; more are closed at once."""
MOST_BYTES = 64 << 30
PIECE = 1 << 16
LIFE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""Seconds of silence until it is asked whether a peer is alive, between askings, and how many."""
EVERY_ADDRESS = ("0.0.0.0", "::")
Say = Callable[[str], None]
Receive = Callable[[socket.socket, int], bool]
"""Takes the stream of a rank from its peer, on a thread of its own; an OSError ends it.

True says that all of it is here.
"""


class Listener:
    """Listens on an address, in threads of its own, until it is closed.

    `receive` takes what each rank sends; `say` gets a line, from any thread, for what is refused.
    """

    def __init__(self, host: str, port: int, receive: Receive, say: Say) -> None:
        """Raises OSError if the address cannot be listened on."""
        self.token = secrets.token_hex(TOKEN_BYTES // 2)
        self._receive, self._say = receive, say
        self._lock = threading.Lock()
        self._unknown: set[socket.socket] = set()
        self._ranks: dict[int, socket.socket] = {}
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family)
        self.host, self.port = host, int(self._socket.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True, name="listener").start()

    @property
    def address(self) -> str:
        """What a job is given as `out`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        host = socket.gethostname() if self.host in EVERY_ADDRESS else host
        return f"tcp://{self.token}@{host}:{self.port}"

    def close(self) -> None:
        """Listen no more; what has come of each recording stays."""
        shut(self._socket)  # else a thread that accepts would accept one more
        self._socket.close()
        with self._lock:
            peers = [*self._unknown, *self._ranks.values()]
        for peer in peers:
            shut(peer)

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                # Closed by `close`; any other error is of one peer or one moment, and listening
                # goes on.
                if self._socket.fileno() < 0:
                    return
                continue  # one that has gone already, or too many files for a moment
            with self._lock:
                is_room = len(self._unknown) < MOST_UNKNOWN and len(self._ranks) < MOST_PEERS
                if is_room:
                    self._unknown.add(peer)
            if is_room:
                threading.Thread(target=self._serve, args=(peer,), daemon=True).start()
            else:
                peer.close()

    def _serve(self, peer: socket.socket) -> None:
        rank, is_whole = None, False
        with peer, suppress(OSError):
            try:
                rank = self._admit(peer)
                if rank is not None:
                    is_whole = self._receive(peer, rank)
            finally:
                with self._lock:
                    self._unknown.discard(peer)
                    if rank is not None:
                        self._ranks.pop(rank, None)
            if is_whole:  # from here on this rank of the next job may come
                peer.sendall(ALL_HERE)

    def _admit(self, peer: socket.socket) -> int | None:
        """The rank of a peer that knows the token; None for another, or a rank that is here."""
        timer = threading.Timer(HELLO_SECONDS, shut, (peer,))  # however slowly it speaks
        timer.daemon = True
        timer.start()
        try:
            opening = peer.recv(OPENING.size, socket.MSG_WAITALL)
        finally:
            timer.cancel()
        if len(opening) < OPENING.size:
            return None
        magic, token, rank = OPENING.unpack(opening)
        # In constant time: how long it takes must not tell how many of its bytes are right.
        knows = hmac.compare_digest(token, self.token.encode())
        if not (hmac.compare_digest(magic, MAGIC) and knows):
            self._say("a connection without the token was refused")
            return None
        _expect_life(peer)
        with self._lock:
            self._unknown.discard(peer)
            # The first of two that say they are the same rank stays: a late one must not cut its
            # file.
            if rank in self._ranks:
                return None
            self._ranks[rank] = peer
        return int(rank)


class Files:
    """Writes each rank's recording into a folder; `say` gets a line when a rank comes or goes."""

    def __init__(self, folder: Path, say: Say) -> None:
        """Raises OSError if the folder cannot be made."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._say = folder, say

    def receive(self, peer: socket.socket, rank: int) -> bool:
        """Write what comes until it ends. Raises OSError if it breaks off or the disk is full."""
        self._say(f"rank {rank} has connected")
        size = 0
        # Unbuffered: what has come is in the file, however this process ends.
        with (self._folder / f"rank-{rank}.arrow").open("wb", buffering=0) as file:
            while size < MOST_BYTES and (piece := peer.recv(PIECE)):
                size += len(piece)
                file.write(piece)
        self._say(f"rank {rank} has ended: {size:,} bytes")
        return size < MOST_BYTES


def _expect_life(peer: socket.socket) -> None:
    """A peer that has vanished without a word is given up after a minute."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in LIFE.items():
        if hasattr(socket, name):
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def shut(peer: socket.socket) -> None:
    """Let a connection go, whether or not it is still there."""
    with suppress(OSError):
        peer.shutdown(socket.SHUT_RDWR)
