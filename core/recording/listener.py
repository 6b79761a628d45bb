"""Takes ranks' recordings over TCP, each for itself, whatever else connects.

A peer must show the token. Of each rank one piece is in memory at a time, so a slow disk slows the
sender, whose own queue then leaves out whole steps and says how many.
"""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from core.recorder.wire import ALL_HERE, TOKEN_BYTES, Address
from core.recording.handshakes import Handshakes, Refusals, Say

MOST_PEERS = 1024
BACKLOG = 1024
END_SECONDS = 2.0
"""For writing what had arrived when listening ends."""
LIFE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""Seconds of silence until it is asked whether a peer is alive, between askings, and how many."""
READER = "rank-reader"
"""Begin of the names of threads that read ranks' streams."""
EVERY_ADDRESS = ("0.0.0.0", "::")
Receive = Callable[[socket.socket, int], bool]
"""Takes the stream of a rank from its peer, on a thread of its own; an OSError ends it.

True says that all of it is here.
"""


class Listener:
    """Listens on an address, in threads of its own, until it is closed.

    `receive` takes what each rank sends; `say` gets a line, from any thread, for each rank that is
    refused. Connections without the token are counted by `refusals`.
    """

    def __init__(
        self, host: str, port: int, receive: Receive, say: Say, refusals: Refusals
    ) -> None:
        """Raises OSError if the address cannot be listened on."""
        self._receive, self._say = receive, say
        self._lock = threading.Lock()
        self._ranks: dict[int, socket.socket] = {}
        self._threads: set[threading.Thread] = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = socket.create_server((host, port), family=family, backlog=BACKLOG)
        shown = socket.gethostname() if host in EVERY_ADDRESS else host
        token = secrets.token_hex(TOKEN_BYTES // 2)
        self.where = Address(shown, int(server.getsockname()[1]), token)
        self._handshakes = Handshakes(server, token, self._admit, refusals)

    @property
    def address(self) -> str:
        """The address that a job is given as `out`."""
        return self.where.with_token

    def close(self) -> None:
        """Listen no more; what has come of each recording stays."""
        self._handshakes.close()
        with self._lock:
            peers, threads = list(self._ranks.values()), list(self._threads)
        for peer in peers:
            shut(peer)
        # What has arrived by now can still be read, and is written.
        end = time.monotonic() + END_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _admit(self, peer: socket.socket, rank: int) -> None:
        thread = threading.Thread(
            target=self._serve, args=(peer, rank), daemon=True, name=f"{READER} {rank}"
        )
        with self._lock:
            # The first of two that say they are the same rank stays: a late one must not cut its
            # file.
            is_here, is_full = rank in self._ranks, len(self._ranks) >= MOST_PEERS
            if not (is_here or is_full):
                self._ranks[rank] = peer
                self._threads.add(thread)
        if is_here:
            self._say(f"a second rank {rank} was refused: the first one is still connected")
            peer.close()
        elif is_full:
            self._say(f"rank {rank} was refused: {MOST_PEERS:,} ranks are connected")
            peer.close()
        else:
            self._start(thread, peer, rank)

    def _start(self, thread: threading.Thread, peer: socket.socket, rank: int) -> None:
        try:
            thread.start()
        except RuntimeError:  # the system has none left
            with self._lock:
                del self._ranks[rank]
                self._threads.discard(thread)
            self._say(f"rank {rank} was refused: no thread can be started for it")
            peer.close()

    def _serve(self, peer: socket.socket, rank: int) -> None:
        is_whole = False
        with peer, suppress(OSError):
            try:
                _expect_life(peer)
                is_whole = self._receive(peer, rank)
            finally:
                with self._lock:
                    del self._ranks[rank]
                    self._threads.discard(threading.current_thread())
            if is_whole:  # from here on this rank of the next job may come
                peer.sendall(ALL_HERE)


def _expect_life(peer: socket.socket) -> None:
    """Give a peer up that has vanished without a word for a minute."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in LIFE.items():
        if hasattr(socket, name):
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def shut(peer: socket.socket) -> None:
    """Let a connection go, whether or not it is still there."""
    with suppress(OSError):
        peer.shutdown(socket.SHUT_RDWR)
