"""Thumbnails of the samples and of the lessons, for the first page: `make thumbnails`.

A sample's is of its recording, a lesson's of the last run of its first step, which is run for it.
"""

from __future__ import annotations

from bubblescope.api.running import execute_with, ready_hardware
from bubblescope.cli.progress import ProgressPrinter
from core.engine.client import EngineClient
from core.lessons.lesson import read_lesson, shipped
from core.paths import RESOURCES
from core.recording.recording import open_recording
from core.trace.trace import Trace
from gui.features.first_page.thumbnail import THUMBNAILS, Thumbnail, thumbnail_of, write_thumbnails


def main() -> None:
    """Make them all again."""
    paths = sorted((RESOURCES / "recordings").glob("*.arrow"))
    made = {path.name: _of(open_recording(path).trace) for path in paths}
    client = EngineClient()
    try:
        ready_hardware(client, [])
        for path in shipped():
            run = read_lesson(path).steps[0].runs[-1]
            made[path.name] = _of(execute_with(client, run, None, ProgressPrinter(False), [])[0])
    finally:
        client.close()
    write_thumbnails(made, THUMBNAILS)


def _of(trace: Trace) -> Thumbnail:
    small = thumbnail_of(trace)
    assert small is not None
    return small


if __name__ == "__main__":
    main()
