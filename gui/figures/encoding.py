"""Encodes the frames of an animation as a GIF or a WebP file, in the background."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from io import BytesIO
from typing import Any

PER_SECOND = 20  # frames; a GIF counts hundredths of a second
HOLD_MS = 2_000  # how long the last frame is shown
PATIENCE_S = 0.005  # between two checks of the encoder; less than the time between two frames


class _Stopped(Exception):
    """The encoder was stopped."""


class _Reading:
    """Counts the frames that Pillow has read, and stops it at the next one.

    Pillow encodes all frames in one call. Its progress can only be observed when it seeks to the
    start of a frame (`Image.seek`), right before it encodes that frame.
    """

    def __init__(self, frames: Sequence[Any]) -> None:
        self.stop = threading.Event()
        self._read = 0
        self._count = len(frames)
        for frame in frames:
            frame.seek = self._seek

    @property
    def share(self) -> float:
        """The share of the frames that have been read, 0 to 1."""
        return min(1.0, self._read / self._count)

    def _seek(self, place: int) -> None:
        if self.stop.is_set():
            raise _Stopped
        if place:
            raise EOFError  # each image has only one frame
        self._read += 1


def encode(frames: Sequence[Any], suffix: str, since: float = 0.0) -> Generator[float, None, bytes]:
    """Return the bytes of a file that loops over frames, yielding progress from `since` to 1.

    `suffix` is `.gif` or `.webp`. Encoding takes seconds, so a thread does it. If the generator is
    closed before its end, the thread ends at the next frame.
    """
    reading = _Reading(frames)
    # Leaving the context waits for the thread.
    with ThreadPoolExecutor(1, "animation") as threads:
        encoding = threads.submit(_encoded, frames, suffix)
        try:
            while not wait([encoding], PATIENCE_S).done:
                yield since + (1.0 - since) * reading.share
        finally:
            reading.stop.set()
    return encoding.result()


def _encoded(frames: Sequence[Any], suffix: str) -> bytes:
    durations = [round(1000 / PER_SECOND)] * len(frames)
    durations[-1] = HOLD_MS
    file = BytesIO()
    options: dict[str, object] = {"save_all": True, "append_images": frames[1:], "loop": 0}
    if suffix == ".gif":
        frames[0].save(file, "GIF", duration=durations, **options)
    else:
        frames[0].save(file, "WEBP", duration=durations, lossless=True, method=0, **options)
    return file.getvalue()
