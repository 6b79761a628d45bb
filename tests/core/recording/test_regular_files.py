"""What is no regular file is refused at once, wherever a path is read: none waits for a writer."""

import os
import socket

import pytest

from core.costs.costs import CostError
from core.costs.costs_file import read_costs
from core.errors import RecordingError
from core.lessons.lesson import read_lesson
from core.lessons.text import LessonError
from core.plan.schedules.compute_csv import load_schedule
from core.recording.bookmarks import BookmarksError, bookmarks_file, read_bookmarks
from core.recording.formats import TRACE_FORMATS, suffixes_of
from core.recording.recording import open_recording
from core.recording.sniff import format_of
from tests.make_believe import record, specification

NAMES = ("a.arrow", *(f"a{suffix}" for suffix in suffixes_of(TRACE_FORMATS)))


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def make_device(path):
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_pipe, make_socket, make_device])
@pytest.mark.parametrize("name", NAMES)
def test_a_recording_that_is_no_regular_file_is_refused(name, make, tmp_path):
    make(tmp_path / name)
    assert format_of(tmp_path / name) is None
    with pytest.raises(RecordingError, match=r"not a regular file|No such device") as raised:
        open_recording(tmp_path / name)
    assert name in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("make", [make_pipe, make_socket, make_device])
@pytest.mark.parametrize("name", ["rank-0.arrow", "rank-0.json"])
def test_a_folder_of_what_is_no_regular_file_is_refused(name, make, tmp_path):
    make(tmp_path / name)
    with pytest.raises(RecordingError, match=r"not a regular file|No such device"):
        open_recording(tmp_path)


@pytest.mark.parametrize("make", [make_pipe, make_socket, make_device])
def test_other_files_are_read_only_where_they_are_regular(make, tmp_path):
    record(specification(steps=1), tmp_path / "run.arrow")
    readers = [
        (tmp_path / "costs.json", CostError, read_costs),
        (tmp_path / "orders.csv", ValueError, load_schedule),
        (tmp_path / "lesson.md", LessonError, read_lesson),
        (
            bookmarks_file(tmp_path / "run.arrow"),
            BookmarksError,
            lambda _: read_bookmarks(tmp_path / "run.arrow"),
        ),
    ]
    for path, error, read in readers:
        make(path)
        with pytest.raises(error, match=r"not a regular file|No such device"):
            read(path if error is not ValueError else str(path))


def test_a_file_that_is_larger_than_any_of_its_kind_is_not_held(tmp_path):
    path = tmp_path / "costs.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CostError, match="use at most 8,388,608"):
        read_costs(path)


@pytest.mark.parametrize("command", ["summary", "sql", "export", "compare"])
def test_a_command_given_a_pipe_ends_at_once(commands, command, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    more = {"sql": ["FROM steps"], "export": ["--table", "x.csv"], "compare": ["pipe.json"]}
    words = [command, "pipe.json", *more.get(command, [])]
    done = commands.run(tmp_path, words, seconds=30)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "not a regular file" in done.stderr


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="there is no such file here")
def test_a_file_that_the_system_cannot_read_is_named():
    with pytest.raises(RecordingError, match=r"^/proc/self/mem cannot be read: \w"):
        open_recording("/proc/self/mem")
