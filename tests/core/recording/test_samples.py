"""The recordings that come with the app."""

from pathlib import Path

import pytest

from core.recording.recording import open_recording
from core.report.summary import summarise

FOLDER = Path(__file__).resolve().parents[3] / "resources" / "recordings"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.arrow")))
def test_a_sample_recording_opens_whole_and_sums_up(name):
    opened = open_recording(FOLDER / name)
    assert opened.warning == ""
    summary = summarise(opened.trace)
    assert len(summary.steps) == 5 and summary.complete
    assert all(sum(split) == 1024 for split in summary.splits)


def test_there_are_sample_recordings():
    assert len(list(FOLDER.glob("*.arrow"))) >= 3
