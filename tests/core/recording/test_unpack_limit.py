"""Streams that unpack to too much are refused, with the limit named, before they are unpacked."""

import io

import pyarrow as pa
import pytest

from core.errors import RecordingError
from core.recording import stream, unpack_limit
from core.recording.limits import TooLarge
from core.recording.recording import open_recording
from core.recording.unpack_limit import UnpackLimit
from tests.core.recorder.made import two_ranks

MANY = 200_000


def packed_by(codec, data, rows=MANY, **options):
    """A recording with its batches packed, and a last one that has only zeros."""
    reader = pa.ipc.open_stream(data)
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=codec, **options)
    with pa.ipc.new_stream(sink, reader.schema, options=options) as writer:
        for batch in reader:
            writer.write_batch(batch)
        if rows:
            row = batch.slice(0, 1).to_pylist()[0]
            table = pa.Table.from_pylist([row] * rows, reader.schema)
            writer.write_table(table.combine_chunks())
    return sink.getvalue()


@pytest.fixture
def recording(tmp_path):
    two_ranks(tmp_path)
    return tmp_path / "rank-0.arrow"


def test_a_packed_recording_opens_as_it_was(recording, tmp_path):
    small = tmp_path / "small.arrow"
    small.write_bytes(packed_by("zstd", recording.read_bytes(), rows=0))
    before, after = open_recording(recording), open_recording(small)
    assert after.warning == "" and list(map(str, after.trace)) == list(map(str, before.trace))


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_a_file_that_unpacks_to_too_much_is_refused_by_name(
    recording, tmp_path, codec, monkeypatch
):
    bomb = tmp_path / "bomb.arrow"
    bomb.write_bytes(packed_by(codec, recording.read_bytes()))
    monkeypatch.setattr(stream, "MOST_UNPACKED", 1 << 20)
    with pytest.raises(
        RecordingError, match=r"bomb.arrow is refused: .* at most 1,048,576 are accepted"
    ):
        open_recording(bomb)
    assert bomb.stat().st_size < 1 << 18
    assert open_recording(recording).warning == ""  # what is not packed has no limit


def test_a_file_that_begins_with_less_than_no_bytes_is_refused_by_name(tmp_path):
    (tmp_path / "odd.arrow").write_bytes(b"\xf5\xff\xff\xff" + bytes(100))
    with pytest.raises(RecordingError, match=r"odd.arrow is not a recording"):
        open_recording(tmp_path / "odd.arrow")


def test_what_is_followed_piece_by_piece_is_the_same(recording):
    data = packed_by("zstd", recording.read_bytes(), rows=2000)
    needed = _unpacks_to(data, len(data))
    for size in (1, 3, 4, 7, 64, 1000):
        assert _unpacks_to(data, size) == needed
    assert _unpacks_to(recording.read_bytes(), 5) == 0


def _unpacks_to(data, size):
    followed = UnpackLimit(1 << 30)
    for at in range(0, len(data), size):
        followed.take(data[at : at + size])
    with pytest.raises(TooLarge) if followed._unpacked else _nothing():
        least = UnpackLimit(followed._unpacked - 1)
        for at in range(0, len(data), size):
            least.take(data[at : at + size])
    return followed._unpacked


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_what_arrow_017_packed_counts_too(recording):
    reader = pa.ipc.open_stream(recording)
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(metadata_version=pa.ipc.MetadataVersion.V4)
    said = {"ARROW:experimental_compression": "zstd"}
    with pa.ipc.new_stream(sink, reader.schema, options=options) as writer:
        for batch in reader:
            writer.write_batch(batch, custom_metadata=said)
    with pytest.raises(TooLarge, match="it would unpack to"):  # what is no length is taken for one
        UnpackLimit(1 << 30).take(sink.getvalue())


def test_a_message_without_end_is_refused():
    with pytest.raises(OSError, match="negative size"):
        UnpackLimit(100).take(unpack_limit.CONTINUATION + b"\xff\xff\xff\xff")
    with pytest.raises(
        TooLarge, match=r"a message has 2,147,483,647 bytes: at most 100 are accepted"
    ):
        UnpackLimit(100, 100).take(unpack_limit.CONTINUATION + b"\xff\xff\xff\x7f")
    with pytest.raises(OSError, match="is invalid"):
        UnpackLimit(100).take(unpack_limit.CONTINUATION + b"\4\0\0\0\xff\xff\xff\xff")


def test_a_file_that_begins_with_less_than_no_bytes_is_refused_by_its_name(tmp_path):
    path = tmp_path / "junk.json"
    path.write_bytes(b"\xc7\xbc\xeb\xd1\xa5")
    with pytest.raises(RecordingError, match=r"junk\.json is not a recording: it does not begin"):
        open_recording(path)
