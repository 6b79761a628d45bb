"""The table of file formats of other programs.

The file dialog, the docs, folders of traces, the fuzzer and `open_recording` all use it. To add a
format, write a module with a reader in `core/recording/importers` and add a row to TRACE_FORMATS.
For JSON in the Trace Event Format whose events have a special meaning, add a Dialect to CHROME.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from core.message import N_

_IMPORTERS = "core.recording.importers"
_SQLITE = b"SQLite format 3\0"
_PACKET = b"\x0a"  # the key of the first field of a Perfetto trace, which is a message
_PARQUET = b"PAR1"
_PASSES = re.compile(rb'^\{\s*"\d{1,9}"\s*:\s*\{.*"fwd_start"\s*:', re.DOTALL)
_ENTRIES = re.compile(rb'"entries"\s*:\s*\[')


@dataclass(frozen=True, slots=True)
class Dialect:
    """A meaning of the events of a format, recognised when the events are decoded.

    `recogniser` and `reader` are functions, "MODULE:FUNCTION" in `core.recording.importers`, which
    are imported on demand. `recogniser(events)` returns True for events of this dialect.
    `reader(events, path, progress)` returns ImportedEvents. `name` identifies the dialect in tests;
    the other texts are a row of the table in the docs.
    """

    name: str
    title: str
    recogniser: str
    reader: str
    recognised_by: str
    read_as: str
    not_read: str


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of another program.

    `recognises` returns True for the first bytes of such a file; they are unpacked if the file is
    packed by gzip. `reader` is a function, "MODULE:FUNCTION" in `core.recording.importers`, which
    is imported on demand: `reader(path, progress)` returns ImportedEvents, empty if the file has no
    event. Errors are worded "FILE cannot be read as {noun}: ..."; `empty` is the reason if there
    are no events. `suffixes` are the ends of file names that the file dialog shows. If a file has
    the events of one rank, `one_rank` is True, and a folder of such files is one run;
    `companions` are names of files in it that describe the run. `name` identifies the format in
    tests; the other texts are a row of the table in the docs.
    """

    name: str
    title: str
    noun: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    reader: str
    empty: str
    recognised_by: str
    read_as: str
    not_read: str
    one_rank: bool = False
    dialects: tuple[Dialect, ...] = ()
    companions: tuple[str, ...] = ()


def load_function(name: str) -> Callable[..., Any]:
    """Import a function that a row names as "MODULE:FUNCTION"."""
    module, _, function = name.partition(":")
    importer = import_module(f"{_IMPORTERS}.{module}")
    found: Callable[..., Any] = getattr(importer, function)
    return found


def is_dump(beginning: bytes) -> bool:
    """Return True for JSON of PyTorch's flight recorder."""
    text = _json_text(beginning)
    return _ENTRIES.search(text) is not None and b'"traceEvents"' not in text


def is_trace_events(beginning: bytes) -> bool:
    """Return True for JSON of no other format: its list of events may start later in the file."""
    text = _json_text(beginning)
    return bool(text) and not (is_dump(beginning) or is_pipeline_dump(beginning))


def is_pipeline_dump(beginning: bytes) -> bool:
    """Return True for JSON with passes by iteration, as Primus writes it."""
    return _PASSES.search(_json_text(beginning)) is not None


def is_parquet(beginning: bytes) -> bool:
    """Return True for a table in Parquet."""
    return beginning.startswith(_PARQUET)


def is_sqlite(beginning: bytes) -> bool:
    """Return True for a database of SQLite."""
    return beginning.startswith(_SQLITE)


def is_packets(beginning: bytes) -> bool:
    """Return True for a protobuf message that starts like a Perfetto trace, and is not JSON."""
    return beginning.startswith(_PACKET) and not _json_text(beginning)


def _json_text(beginning: bytes) -> bytes:
    """Return the text of a JSON list or object without leading white space; b"" for other data."""
    text = beginning.removeprefix(codecs.BOM_UTF8).lstrip()
    return text if text[:1] in (b"{", b"[") else b""


KINETO = Dialect(
    name="kineto",
    title="PyTorch's profiler (Kineto)",
    recogniser="kineto:is_kineto",
    reader="kineto:read_kineto",
    recognised_by="`distributedInfo` or `deviceProperties`, or categories such as `cpu_op` and "
    "`kernel`",
    read_as="Streams are lanes. Streams that mostly communicate serve the stream that computes "
    "most. Threads of the host follow, and annotations have separate rows. Steps are "
    "`ProfilerStep#`; otherwise they end with the last `Optimizer.step#` of an iteration; "
    "otherwise they are ranges named step or iteration and a number. Tasks launched within "
    "[annotations of passes](#annotations-of-passes) have their kind. Without a device, "
    "annotations of Gloo are communication",
    not_read="Arrows other than launches. Shapes, stacks and FLOPs are only shown in Details. "
    "Transfers of one kernel with several ranks are not matched",
)
ASCEND = Dialect(
    name="ascend",
    title="PyTorch's profiler for Ascend (torch_npu)",
    recogniser="ascend:is_ascend",
    reader="ascend:read_ascend",
    recognised_by="a process named *Ascend Hardware*, as in `trace_view.json`. A folder may be "
    "that of one rank (`*_ascend_pt`), or have those of several, at any depth down to 8 levels",
    read_as="Threads of *Ascend Hardware* are streams, and rows of groups in *Communication* are "
    "streams that communicate. Waits of streams for each other, parts of collectives, and *Overlap "
    "Analysis* are annotations. *Python*, *CANN* and other processes are the host. Arrows "
    "`HostToDevice` and `torch_to_npu` are launches. Steps are those of Kineto. The rank is in "
    "`profiler_info_0.json`, or in the name of a folder",
    not_read="Other arrows; tables and databases next to the trace",
)
MEGASCAN = Dialect(
    name="megascan",
    title="MegaScan",
    recogniser="megascan:is_megascan",
    reader="megascan:read_megascan",
    recognised_by="events with the argument `iteration`",
    read_as="Kind, iteration, micro-batch and stage are taken from names and arguments of the "
    "events. With micro-batches and `pp_rank`, or names of processes as `DP0-PP1-TP0`, they are a "
    "[pipeline](#pipelines-of-other-programs). Ranks without names get such names",
    not_read="Parallel groups other than pipeline stages; combined exchanges are not divided into "
    "sends and receives",
)
NDTIMELINE = Dialect(
    name="ndtimeline",
    title="ndtimeline (veScale)",
    recogniser="ndtimeline:is_ndtimeline",
    reader="ndtimeline:read_ndtimeline",
    recognised_by="events with the name and category `forward-compute` or `backward-compute`",
    read_as="Operations of a [pipeline](#pipelines-of-other-programs). Step, micro-batch, chunk "
    "and ranks are taken from arguments `step`, `mb_id`, `model_chunk`, `pp`, `tp`, from names of "
    "threads (`PP rank 1, TP rank 0`) and from numbers of processes (the rank in data parallelism)",
    not_read="Events without a step; other arguments",
)
CHROME = Format(
    name="chrome",
    title="Chrome's Trace Event Format",
    noun=N_("a trace in Chrome's format"),
    suffixes=(".json", ".json.gz"),
    recognises=is_trace_events,
    reader="chrome:read_chrome",
    empty=N_("it has no complete event (ph X) that says when it ran"),
    recognised_by="JSON: an object with `traceEvents`, or a list; may be truncated or in gzip",
    read_as="A lane for each thread, with calls below their callers. Begins with their ends, "
    "asynchronous events, instants, [counters](#counters) and arrows are shown too",
    not_read="Samples, stack frames, object snapshots and memory dumps",
    one_rank=True,
    dialects=(ASCEND, KINETO, NDTIMELINE, MEGASCAN),
)
FLIGHT_RECORDER = Format(
    name="flight",
    title="PyTorch's flight recorder",
    noun=N_("a dump of the flight recorder"),
    suffixes=(".json", ".json.gz"),
    recognises=is_dump,
    reader="flight_recorder:read_flight_recorder",
    empty=N_("it has no collective that says when it was called"),
    recognised_by="JSON with a list `entries`",
    read_as="Collectives by process group; a collective without an end is shown as a moment",
    not_read="The pickled form of a dump. Stacks and sizes are only shown in Details",
    one_rank=True,
)
NSIGHT = Format(
    name="nsight",
    title="Nsight Systems, exported to SQLite",
    noun=N_("an export of Nsight Systems"),
    suffixes=(".sqlite",),
    recognises=is_sqlite,
    reader="nsight:read_nsight",
    empty=N_("it has no kernel, call or range that says when it ran"),
    recognised_by="the first bytes of a SQLite database",
    read_as="Kernels, copies and replays of CUDA graphs by stream, calls of CUDA by thread, NVTX "
    "ranges",
    not_read="`.nsys-rep` files, samples, metrics, context switches and calls of the operating "
    "system",
)
PERFETTO = Format(
    name="perfetto",
    title="Perfetto's protobuf",
    noun=N_("a trace of Perfetto"),
    suffixes=(".pftrace", ".perfetto-trace"),
    recognises=is_packets,
    reader="perfetto:read_perfetto",
    empty=N_("it has no track event that says when it ran"),
    recognised_by="the first byte of a trace's packets; may be truncated or in gzip",
    read_as="Slices, moments, counters and flows of track events",
    not_read="All other packets, such as scheduling, samples, heap profiles and logs",
)
PRIMUS = Format(
    name="primus",
    title="Primus' dumps of pipelines",
    noun=N_("a dump of a pipeline"),
    suffixes=(".json", ".json.gz"),
    recognises=is_pipeline_dump,
    reader="primus:read_primus",
    empty=N_("it has no pass that says when it ran"),
    recognised_by="JSON with `fwd_start` in a numbered iteration",
    read_as="Passes of a rank of a [pipeline](#pipelines-of-other-programs), which is in the "
    "file's name (`pp_rank_3.json`). Micro-batches and chunks are listed, or else those of 1F1B or "
    "interleaved 1F1B with the sizes in `config.json`",
    not_read="Memory and the iteration's total",
    one_rank=True,
    companions=("config.json",),
)
NDTIMELINE_TABLE = Format(
    name="ndtimeline-table",
    title="ndtimeline as a table in Parquet",
    noun=N_("a table of a pipeline"),
    suffixes=(".parquet",),
    recognises=is_parquet,
    reader="ndtimeline:read_ndtimeline_table",
    empty=N_("it has no operation that says when it ran"),
    recognised_by="the first bytes of Parquet; its columns are `step`, `optype`, `start_ts` and "
    "`duration` (s), and if there are any `stage`, `dp_rank`, `tp_rank`, `mc` and `mb_id`",
    read_as="Operations of a [pipeline](#pipelines-of-other-programs)",
    not_read="Other columns",
)
TRACE_FORMATS = (CHROME, FLIGHT_RECORDER, NSIGHT, PERFETTO, PRIMUS, NDTIMELINE_TABLE)
"""All formats of other programs. A file has the first format that recognises it."""


def format_of_bytes(beginning: bytes) -> Format | None:
    """Return the format of a file by its first bytes; None for a recording and unknown formats."""
    for each in TRACE_FORMATS:
        if each.recognises(beginning):
            return each
    return None


def suffixes_of(formats: tuple[Format, ...]) -> tuple[str, ...]:
    """Return the suffixes of formats, each once."""
    found: dict[str, None] = {}
    for each in formats:
        found.update(dict.fromkeys(each.suffixes))
    return tuple(found)


def formats_of_ranks() -> tuple[Format, ...]:
    """Return the formats whose files have one rank each, so that a folder of them is one run."""
    return tuple(each for each in TRACE_FORMATS if each.one_rank)
