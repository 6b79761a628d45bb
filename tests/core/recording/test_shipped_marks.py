"""Bookmarks on a recording that comes with the app."""

from pathlib import Path

import pytest

from core.paths import RESOURCES
from core.recording.bookmarks import Bookmark, bookmarks_file, read_bookmarks, write_bookmarks


def test_marks_on_a_shipped_recording_go_to_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    sample = RESOURCES / "recordings" / "dp-8-virtual-lanes.arrow"
    before = sorted(sample.parent.iterdir())
    bookmark = Bookmark(5, None, "here")
    write_bookmarks(sample, [bookmark], "then")
    assert bookmarks_file(sample).is_relative_to(tmp_path)
    assert read_bookmarks(sample, "then") == (bookmark,)
    assert sorted(sample.parent.iterdir()) == before
