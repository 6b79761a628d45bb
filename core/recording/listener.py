"""Receives ranks' recordings over TCP, one connection for each rank.

A peer must send the token. Memory holds one piece of each rank's data at a time, so a slow disk
slows down the sender, which then omits whole steps and counts them.
"""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from core.counts import ranks_text
from core.message import message
from core.recorder.wire import ALL_HERE, TOKEN_BYTES, Address
from core.recording.handshakes import Handshakes, Refusals, ReportLine

MOST_PEERS = 1024
BACKLOG = 1024
END_SECONDS = 2.0
"""Time limit for writing the data that has arrived when listening ends."""
LIFE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""Seconds of silence before a keep-alive probe, seconds between probes, and number of probes."""
READER = "rank-reader"
"""Prefix of the names of threads that read ranks' streams."""
EVERY_ADDRESS = ("0.0.0.0", "::")
Receive = Callable[[socket.socket, int], bool]
"""Reads the stream of a rank from its peer, on a separate thread; an OSError ends it.

Returns True if the whole stream was received.
"""


class Listener:
    """Listens on an address, in separate threads, until it is closed.

    `receive` reads the data of each rank. `report_line` gets a line, from any thread, for each
    refused rank. `refusals` counts connections without the token.
    """

    def __init__(
        self, host: str, port: int, receive: Receive, report_line: ReportLine, refusals: Refusals
    ) -> None:
        """Start listening. Raises OSError if the address cannot be used."""
        self._receive = receive
        self._report_line = report_line
        self._lock = threading.Lock()
        self._ranks: dict[int, socket.socket] = {}
        self._threads: set[threading.Thread] = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = socket.create_server((host, port), family=family, backlog=BACKLOG)
        shown = socket.gethostname() if host in EVERY_ADDRESS else host
        token = secrets.token_hex(TOKEN_BYTES // 2)
        self.where = Address(
            host=shown,
            port=int(server.getsockname()[1]),
            token=token,
        )
        self._handshakes = Handshakes(server, token, self._admit, refusals)

    @property
    def address(self) -> str:
        """The address to pass to a job as `out`."""
        return self.where.with_token

    def close(self) -> None:
        """Stop listening; the data that has arrived is kept."""
        self._handshakes.close()
        with self._lock:
            peers = list(self._ranks.values())
            threads = list(self._threads)
        for peer in peers:
            shut(peer)
        # Data that has arrived can still be read and is written.
        end = time.monotonic() + END_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _admit(self, peer: socket.socket, rank: int) -> None:
        thread = threading.Thread(
            target=self._serve, args=(peer, rank), daemon=True, name=f"{READER} {rank}"
        )
        with self._lock:
            # Of two connections for the same rank, the first is kept: the second must not replace
            # its file.
            is_here = rank in self._ranks
            is_full = len(self._ranks) >= MOST_PEERS
            if not (is_here or is_full):
                self._ranks[rank] = peer
                self._threads.add(thread)
        if is_here:
            self._report_line(
                message(
                    "a second rank {rank} was refused: the first one is still connected", rank=rank
                )
            )
            peer.close()
        elif is_full:
            self._report_line(
                message(
                    "rank {rank} was refused: {ranks} are connected",
                    rank=rank,
                    ranks=ranks_text(MOST_PEERS),
                )
            )
            peer.close()
        else:
            self._start(thread, peer, rank)

    def _start(self, thread: threading.Thread, peer: socket.socket, rank: int) -> None:
        try:
            thread.start()
        except RuntimeError:  # the system has no more threads
            with self._lock:
                del self._ranks[rank]
                self._threads.discard(thread)
            self._report_line(
                message("rank {rank} was refused: no thread can be started for it", rank=rank)
            )
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
            if is_whole:  # the same rank of the next job may connect now
                peer.sendall(ALL_HERE)


def _expect_life(peer: socket.socket) -> None:
    """Close the connection of a peer that does not answer probes for a minute."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in LIFE.items():
        if hasattr(socket, name):
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def shut(peer: socket.socket) -> None:
    """Shut a connection down, if it still exists."""
    with suppress(OSError):
        peer.shutdown(socket.SHUT_RDWR)
