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


def test_a_recording_with_a_setting_that_is_gone_opens_as_before(tmp_path):
    # Versions up to 0.1.0 had a setting `speed`, which slowed virtual lanes down.
    sample = FOLDER / "1f1b-4-virtual-lanes.arrow"
    now, before = b'"speed": null', b'"speed": 0.25'
    assert len(now) == len(before) and sample.read_bytes().count(now) == 1
    (tmp_path / "old.arrow").write_bytes(sample.read_bytes().replace(now, before))
    old, same = open_recording(tmp_path / "old.arrow"), open_recording(sample)
    assert old.warning == ""
    assert old.trace.header.specification == same.trace.header.specification
    assert summarise(old.trace) == summarise(same.trace)


def test_there_are_sample_recordings():
    assert len(list(FOLDER.glob("*.arrow"))) >= 3
