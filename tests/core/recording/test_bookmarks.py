"""Bookmarks in a file beside their recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recording.bookmarks import (
    Bookmark,
    BookmarksError,
    bookmarks_file,
    read_bookmarks,
    write_bookmarks,
)

MARKS = st.builds(
    lambda start, length, note: Bookmark(start, None if length is None else start + length, note),
    st.integers(-(2**40), 2**62),
    st.none() | st.integers(0, 2**40),
    st.text(max_size=30),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("marks")


@given(st.lists(MARKS, max_size=6))
def test_marks_are_read_as_they_were_written_in_order_of_time(
    folder: Path, bookmarks: list[Bookmark]
) -> None:
    recording = folder / "run.arrow"
    write_bookmarks(recording, bookmarks, "today")
    read = read_bookmarks(recording, "today")
    assert sorted(map(str, read)) == sorted(map(str, bookmarks))
    assert [bookmark.start for bookmark in read] == sorted(bookmark.start for bookmark in bookmarks)
    assert bookmarks_file(recording).exists() is bool(bookmarks)


def test_the_file_has_the_recordings_name_and_goes_with_the_last_mark(tmp_path: Path) -> None:
    recording = tmp_path / "run.arrow"
    write_bookmarks(recording, [Bookmark(5)])
    assert [path.name for path in tmp_path.iterdir()] == ["run.marks.json"]
    write_bookmarks(recording, [])
    assert list(tmp_path.iterdir()) == []
    assert read_bookmarks(recording) == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "its marks are left out: Expecting property name"),
        ("[" * 100_000, "its marks are left out: it is nested too deeply"),
        ("\udcff", "its marks are left out: it has text that is not UTF-8"),
        (f'{{"format": 1, "started": "{"x" * 5000}"}}', "belong to another run, started at xxx"),
        ("[]", "its marks are left out: it does not have format 1"),
        ('{"format": 2}', "its marks are left out: it does not have format 1"),
        ('{"format": 1, "started": "today"}', "its marks are left out: 'marks'"),
        ('{"format": 1, "started": "today", "marks": [{"start": 1}]}', "'end'"),
        ('{"format": 1, "started": "today", "marks": [{"start": 1.5, "end": null, "note": ""}]}',
         "is not a mark; use a file that Bubblescope wrote"),
        ('{"format": 1, "started": "today", "marks": [{"start": 7, "end": 3, "note": ""}]}',
         "a mark ends at 3 ns, before it starts at 7 ns"),
        ('{"format": 1, "started": "today", "marks": [{"start": 1e99, "end": null, "note": ""}]}',
         "is not a mark"),
        (f'{{"format": 1, "started": "today", "marks": [{{"start": {2**70}, "end": null, '
         '"note": ""}]}', "is not a mark"),
        ('{"format": 1, "started": "1999", "marks": []}', "belong to another run, started at 1999"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_one_line_that_names_it(
    tmp_path: Path, text: str, reason: str
) -> None:
    recording = tmp_path / "run.arrow"
    bookmarks_file(recording).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(BookmarksError) as problem:
        read_bookmarks(recording, "today")
    assert reason in str(problem.value)
    assert "run.marks.json" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_damaged_file_is_kept_when_new_marks_are_written(tmp_path: Path) -> None:
    recording = tmp_path / "run.arrow"
    bookmarks_file(recording).write_text("broken")
    write_bookmarks(recording, [Bookmark(1, 2, "new")])
    assert read_bookmarks(recording) == (Bookmark(1, 2, "new"),)
    assert (tmp_path / "run.marks.json.old").read_text() == "broken"


def test_notes_are_written_as_text_that_other_programs_read(tmp_path: Path) -> None:
    recording = tmp_path / "run.arrow"
    write_bookmarks(recording, [Bookmark(1, None, "größer\n| 100 %")], "today")
    values = json.loads(bookmarks_file(recording).read_text(encoding="utf-8"))
    assert values["marks"] == [{"start": 1, "end": None, "note": "größer\n| 100 %"}]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"run\.marks\.json cannot be written: No such file"):
        write_bookmarks(tmp_path / "gone" / "run.arrow", [Bookmark(1)])
