"""The source of a recording: written by this version, derived for files of older versions."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.errors import RecordingError
from core.models.description import ModelDescription
from core.plan.specification import Specification, describe
from core.recording.recording import open_recording
from core.recording.stream_header import HEADER_KEY, read_header, schema_of
from core.trace.header import Header
from core.trace.import_issue import ImportIssue
from core.trace.source import Source

ROOT = Path(__file__).resolve().parents[3]
OLD = {
    **dict.fromkeys(sorted((ROOT / "resources" / "recordings").glob("*.arrow")), Source.RUN),
    ROOT / "tests" / "fixtures" / "ddp-circle.arrow": Source.RUN,
    ROOT / "tests" / "fixtures" / "predicted-without-source.arrow": Source.PREDICTED,
    ROOT / "tests" / "fixtures" / "job-without-source.arrow": Source.JOB,
    ROOT / "tests" / "fixtures" / "imported-without-source.arrow": Source.IMPORTED,
}
BLOCKS = describe(Specification())
NO_BLOCKS = ModelDescription("model", (), 0)


def stored_header(path):
    """The header of a recording as it is in the file, as JSON."""
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
        return stream.schema.metadata[HEADER_KEY]


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.name)
def test_the_source_of_an_older_recording_is_derived(path):
    assert b'"source"' not in stored_header(path)
    opened = open_recording(path)
    assert opened.warning == "" and opened.trace.span_count
    assert opened.trace.header.source is OLD[path]
    assert (opened.trace.imported is not None) == (OLD[path] is Source.IMPORTED)


def test_an_older_recording_of_an_imported_trace_keeps_what_the_file_had():
    trace = open_recording(ROOT / "tests" / "fixtures" / "imported-without-source.arrow").trace
    assert trace.imported is not None
    assert trace.imported.issues == {ImportIssue.NO_TIME: 1}
    assert trace.imported.counter_places == {"memory value": "rank 0"}
    assert np.count_nonzero(trace.imported.colours >= 0) == 1
    assert [text for _, text in trace.imported.arguments.every()] == ['{"layer": 3}']


@pytest.mark.parametrize("source", Source)
def test_a_recording_says_its_source(source):
    model = BLOCKS if source.has_plan else NO_BLOCKS
    header = Header(Specification(), model, (), source=source)
    assert read_header(schema_of(header)) == header


@pytest.mark.parametrize("source", Source)
def test_a_source_that_contradicts_the_model_is_refused(source):
    model = NO_BLOCKS if source.has_plan else BLOCKS
    header = Header(Specification(), model, (), source=source)
    with pytest.raises(RecordingError, match=f"its source is {source}, and its model has"):
        read_header(schema_of(header))


def test_an_unknown_source_is_refused():
    schema = schema_of(Header(Specification(), BLOCKS, ()))
    text = schema.metadata[HEADER_KEY].replace(b'"source": "run"', b'"source": "dream"')
    with pytest.raises(RecordingError, match=r"the stream has a damaged header: .*'dream'"):
        read_header(schema.with_metadata({HEADER_KEY: text}))
