"""Marks on a recording that comes with the app."""

from pathlib import Path

import pytest

from core.paths import RESOURCES
from core.recording.bookmarks import Bookmark, marks_file, read_marks, write_marks


def test_marks_on_a_shipped_recording_go_to_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    sample = RESOURCES / "recordings" / "dp-8-virtual-lanes.arrow"
    before = sorted(sample.parent.iterdir())
    mark = Bookmark(5, None, "here")
    write_marks(sample, [mark], "then")
    assert marks_file(sample).is_relative_to(tmp_path)
    assert read_marks(sample, "then") == (mark,)
    assert sorted(sample.parent.iterdir()) == before
