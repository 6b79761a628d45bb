"""A slow connection, as a ProxyCommand of ssh where the kernel has no `tc netem`.

    ProxyCommand python slow_link.py %h %p DELAY_MS KBIT_PER_S

Each direction delays by DELAY_MS and carries KBIT_PER_S. It reads no faster than it sends, so its
peers feel that it is full.
"""

from __future__ import annotations

import os
import queue
import socket
import sys
import threading
import time

PIECE = 1024
MOST_ON_THE_WAY = 64
"""Pieces; a real connection of this kind holds about as much in its buffers."""


def pump(read, write, end, delay: float, rate: float) -> None:
    """Pass bytes on, `rate` of them a second and `delay` seconds later, until there are no more."""
    waiting: queue.Queue[tuple[float, bytes]] = queue.Queue(MOST_ON_THE_WAY)

    def take() -> None:
        free = time.monotonic()
        while True:
            piece = read(PIECE)
            free = max(free, time.monotonic()) + len(piece) / rate
            waiting.put((free + delay, piece))
            if not piece:
                return

    threading.Thread(target=take, daemon=True).start()
    while True:
        due, piece = waiting.get()
        time.sleep(max(0.0, due - time.monotonic()))
        if not piece:
            end()
            return
        write(piece)


def main() -> None:
    """Connect the standard streams with a port."""
    host, port, delay_ms, kbit = sys.argv[1:]
    peer = socket.create_connection((host, int(port)))
    shape = (float(delay_ms) / 1e3, float(kbit) * 1000 / 8)
    out = (lambda size: os.read(0, size), peer.sendall, lambda: peer.shutdown(socket.SHUT_WR))
    threading.Thread(target=pump, args=(*out, *shape), daemon=True).start()
    pump(peer.recv, lambda data: os.write(1, data), lambda: None, *shape)


if __name__ == "__main__":
    main()
