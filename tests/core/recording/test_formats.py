"""The table of formats: each row is complete, and a file has exactly the format that it is of."""

import gzip
import inspect

import pytest

from core.recording.formats import (
    CHROME,
    FLIGHT_RECORDER,
    TRACE_FORMATS,
    Dialect,
    Format,
    load_function,
)
from core.recording.importers.complete_events import complete_events
from core.recording.importers.trace_event_file import read_events
from core.recording.recording import open_recording
from core.recording.sniff import format_of, trace_files
from tests.fuzz.format_files import EXAMPLES, FORMAT_NAMES

BY_NAME: dict[str, Format | Dialect] = {
    each.name: each for format_ in TRACE_FORMATS for each in (format_, *format_.dialects)
}


def written(tmp_path, name, number=0):
    suffix, data = EXAMPLES[name].files()[number]
    path = tmp_path / f"{name}{suffix}"
    path.write_bytes(data)
    return path


def format_with(name):
    """The format of a name, which may be that of a dialect."""
    return next(
        format_
        for format_ in TRACE_FORMATS
        if name in (format_.name, *(dialect.name for dialect in format_.dialects))
    )


def test_every_format_has_another_name_and_files_to_fuzz():
    assert len(set(FORMAT_NAMES)) == len(FORMAT_NAMES)
    assert set(EXAMPLES) == set(FORMAT_NAMES)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_reader_takes_what_its_row_says(name):
    row = BY_NAME[name]
    given = ["events", "path", "progress"] if isinstance(row, Dialect) else ["path", "progress"]
    assert list(inspect.signature(load_function(row.reader)).parameters) == given


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_files_are_recognised_by_one_format_whatever_their_name(name, tmp_path):
    for number in range(len(EXAMPLES[name].files())):
        path = written(tmp_path, name, number)
        other = path.rename(tmp_path / f"{number}.bin")
        data = other.read_bytes()
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        recognised = [format_ for format_ in TRACE_FORMATS if format_.recognises(data[:4096])]
        assert recognised == [format_with(name)]
        assert format_of(other) is format_with(name)
        assert open_recording(other).trace.span_count


@pytest.mark.parametrize("name", [name for name in FORMAT_NAMES if format_with(name) is CHROME])
def test_events_are_recognised_by_at_most_one_dialect(name, tmp_path):
    for number in range(len(EXAMPLES[name].files())):
        events = read_events(written(tmp_path, name, number))
        complete_events(events)
        recognised = [
            dialect.name for dialect in CHROME.dialects if load_function(dialect.recogniser)(events)
        ]
        assert recognised == ([] if name == CHROME.name else [name])


@pytest.mark.parametrize("format_", TRACE_FORMATS, ids=lambda format_: format_.name)
def test_a_folder_has_the_files_of_formats_with_one_rank_a_file(format_, tmp_path):
    for suffix in format_.suffixes:
        (tmp_path / f"RANK-0{suffix.upper()}").touch()
    assert len(trace_files(tmp_path)) == (len(format_.suffixes) if format_.one_rank else 0)


@pytest.mark.parametrize("data", [b"", b"text", b"ARROW1", b"\xff\xff\xff\xff\x10"])
def test_other_data_has_no_format(data):
    assert not any(format_.recognises(data) for format_ in TRACE_FORMATS)


def test_a_file_of_a_folder_without_events_is_counted_whatever_its_format(tmp_path):
    written(tmp_path, "kineto", 1)
    (tmp_path / "rank-1.json").write_text('{"entries": []}')
    (tmp_path / "rank-2.json").write_text('{"traceEvents": []}')
    opened = open_recording(tmp_path)
    assert "2 files of the folder cannot be read" in str(opened.warning)
    assert f"dump of the flight recorder: {FLIGHT_RECORDER.empty}" in str(opened.warning)
