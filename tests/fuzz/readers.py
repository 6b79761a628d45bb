"""The readers that are fuzzed: for each some valid files, and the path by which users open them.

To add one: a function that makes valid files, a function that opens one as a command or the window
does and uses what it gets, and a line in READERS. Formats of other programs are in READERS because
they are in `core.recording.formats`; tests.fuzz.format_files has valid files of each.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from core.costs.costs import CostError
from core.errors import PlanError, RecordingError
from core.recording.bookmarks import BookmarksError
from core.recording.formats import TRACE_FORMATS
from tests.fuzz.bombs import BOMBS, File
from tests.fuzz.format_files import EXAMPLES, FORMAT_NAMES, STAGES, neighbours_of_stage
from tests.fuzz.made.streams import made_stream
from tests.fuzz.made.tables import made_table, made_toml
from tests.fuzz.mutations import changed_document
from tests.fuzz.wire import NotHeard, open_wire, wire_files

MOST_LANES = 64
"""A schedule of more ranks is read, and not planned."""
DRAWN = 20
"""One of so many traces is drawn as well."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Valid files, each with its suffix, the way to open one, and how it may be refused.

    `open` is given the file and its number; what it raises besides `refused` is a defect.
    `structured` makes a file that breaks the format's rules, by its number, and `share` is how many
    of the files it makes.
    """

    make: Callable[[], list[File]]
    open: Callable[[Path, int], None]
    refused: tuple[type[Exception], ...]
    structured: Callable[[Random, int], File] | None = None
    share: float = 0.75


def _open_imported(path: Path, number: int) -> None:
    """Open as the window does, explain all steps, and count ranks."""
    from core.explain.ranks import rank_times
    from core.explain.run_step import explain_run_step
    from core.recording.recording import open_recording

    _check_spans(path, number)
    trace = open_recording(path).trace
    for step in trace.steps[:10]:
        explanation = explain_run_step(trace, step)
        assert (explanation.end > explanation.start).all(), "a piece of a gap has no length"
    for time in rank_times(trace):
        assert time.idle_ns + time.compute_ns + time.moving_ns == time.span_ns
        assert min(time.idle_ns, time.moving_ns, time.overlap_ns) >= 0


def _read_arguments(trace: Any) -> None:
    from core.trace.event_arguments import MOST_TEXT, pairs

    if trace.imported is not None and trace.imported.arguments is not None:
        for _, text in trace.imported.arguments.every():
            assert isinstance(pairs(text), list) and len(text) <= MOST_TEXT


def _save_again(trace: Any, path: Path) -> None:
    """Save it as a recording, which opens as it was."""
    from core.recording.exporters.recording import write_recording
    from core.recording.recording import open_recording
    from core.trace.imported import issue_text

    place = path.with_name("saved.arrow")
    for _ in write_recording(trace, place):
        pass
    again = open_recording(place).trace
    assert again.steps == trace.steps and again.bounds == trace.bounds
    assert issue_text(again.imported) == issue_text(trace.imported)
    for lane in range(len(trace.header.lanes)):
        assert (again.spans(lane).start == trace.spans(lane).start).all()
        assert (again.spans(lane).step == trace.spans(lane).step).all()


def _check_spans(path: Path, number: int) -> None:
    from core.recording.recording import open_recording

    trace = open_recording(path).trace
    assert trace.span_count == sum(len(trace.spans(n)) for n in range(len(trace.header.lanes)))
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        assert (spans.end >= spans.start).all(), f"a span of lane {lane} ends before it starts"
        assert (np.diff(spans.start) >= 0).all(), f"lane {lane} is out of order"
        assert (spans.start[1:] >= spans.end[:-1]).all(), f"spans of lane {lane} overlap"
    _read_arguments(trace)
    if number % DRAWN == 0 and trace.span_count < 100_000:
        _draw(trace)
    if number % DRAWN == 1 and len(trace.header.lanes) <= MOST_LANES:
        _save_again(trace, path if path.is_file() else path / "any")


def _open_in_folder(path: Path, number: int) -> None:
    """Open a folder that has it beside a rank's whole file and the other programs' own."""
    from tests.core.recording.importers import foreign_files as made

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(Path(__file__).parents[1] / "data" / "two-ranks" / "rank-0.json.gz", folder)
        (folder / "rank_2.json").write_bytes(made.flight_dump())
        shutil.copy(path, folder / f"rank-1{''.join(path.suffixes)}")
        _open_imported(folder, number)


def _open_stage(path: Path, number: int) -> None:
    """Open a folder with the file as the middle one of three ranks of a pipeline."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, data in neighbours_of_stage():
            (folder / file).write_bytes(data)
        shutil.copy(path, folder / f"rank-1{''.join(path.suffixes)}")
        _open_imported(folder, number)


def _draw(trace: Any) -> None:
    from core.recording.exporters.span_files import write_spans
    from core.trace.listing import Listing
    from gui.app.figure_options import FigureOptions
    from gui.figures.make import figure_of
    from gui.figures.picture import application, svg_of

    with application():
        svg_of(figure_of([trace], FigureOptions()))
    for _ in write_spans(Listing.of(trace), "/dev/null"):
        pass


def _costs_files() -> list[File]:
    by_stage = {
        "forward_ms": [18.5, 17.5], "backward_input_ms": 18.1, "backward_weight_ms": 9.3,
        "backward_ms": [27, 28], "step_ms": [2, 3], "loss_ms": 0.5, "link_latency_us": 5,
        "link_bandwidth_gb_s": 25, "rows": 8, "by": "stage",
        "sizes": [{"rows": 16, "forward_ms": [30, 31.5], "backward_ms": [50, 52]}],
        "transfers": {"copy": [[1000, 0.1], [2000, 0.2]], "all-reduce": [[1e6, 3]]},
    }  # fmt: skip
    simple = {"forward_ms": 1, "backward_ms": 2, "step_ms": 1, "transfer_ms": 0.1}
    toml = "".join(f"{name} = {json.dumps(value)}\n" for name, value in simple.items())
    costs = [(".json", json.dumps(values).encode()) for values in (by_stage, simple)]
    return [*costs, (".toml", toml.encode())]


def _open_costs(path: Path, number: int) -> None:
    from core.costs.cost_values import values_of
    from core.costs.costs_file import read_costs
    from core.predict.predict import predict_step

    costs = read_costs(path)
    json.dumps(values_of(costs), allow_nan=False)
    with suppress(CostError):  # they may be for other stages, or for centuries
        plan = _plan("pipeline", devices="2xcpu", microbatches=4)
        assert predict_step(plan, costs).makespan_ns >= 0


@cache
def _plan(strategy: str, **options: Any) -> Any:
    from core.models.catalogue import ModelSettings
    from core.plan.specification import Specification
    from tests.core.helpers import plan_of

    model = ModelSettings("mlp", width=4, depth=MOST_LANES)
    return plan_of(Specification(strategy, model, batch=128, **options))


def _schedule_files() -> list[File]:
    from core.plan.schedules import SCHEDULES
    from core.plan.schedules.compute_csv import csv_text

    made = []
    for name in ("1f1b", "zb-v", "dualpipe-v", "chimera"):
        schedule = SCHEDULES[name]
        text = csv_text(schedule.orders(4, 8, schedule.chunks))
        made.append((".csv", text.encode()))
    return made


def _open_schedule(path: Path, number: int) -> None:
    from core.plan.schedules import schedule_of

    schedule = schedule_of(str(path))
    if (schedule.ranks or 0) <= MOST_LANES and (schedule.microbatches or 0) <= 128:
        with suppress(PlanError):  # it may be read, and yet be no schedule
            assert _plan("pipeline", devices=f"{schedule.ranks}xcpu", schedule=str(path)).tasks


def _bookmarks_files() -> list[File]:
    marks = [{"start": 10, "end": None, "note": "here"}, {"start": 5, "end": 2**40, "note": ""}]
    kept = json.dumps({"format": 1, "started": "", "marks": marks * 3})
    return [(".json", kept.encode())]


def _open_bookmarks(path: Path, number: int) -> None:
    from core.recording.bookmarks import bookmarks_file, read_bookmarks, write_bookmarks

    recording = path.with_suffix(".arrow")
    path.replace(bookmarks_file(recording))
    marks = read_bookmarks(recording)
    assert list(marks) == sorted(marks, key=lambda mark: (mark.start, mark.last, mark.note))
    write_bookmarks(recording, marks)
    assert read_bookmarks(recording) == marks


def _settings_files() -> list[File]:
    """A file as the window writes it, with every setting set."""
    from core.plan.specification import Specification
    from gui.app.figure_options import FigureOptions
    from gui.app.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.ini"
        settings = Settings(path)
        settings.theme, settings.colour_by, settings.grouping = "dark", "stage", "nodes"
        settings.specification = Specification("dp", batch=64, steps=3, lr=0.5, stages=2)
        settings.folder, settings.node_devices = "/tmp", 4
        settings.remember(Path("/tmp/run.arrow"))
        settings.memory, settings.prediction, settings.critical_path = False, False, True
        settings.nested = False
        settings.set_colours("dark", {"forward": "#123456"})
        settings.figure = FigureOptions("one-column", greyscale=True)
        settings.window = _window()
        settings.save()
        values = {key: _plain_value(settings, key) for key in settings.store.allKeys()}
        return [(".ini", path.read_bytes()), (".json", json.dumps(values).encode())]


def _plain_value(settings: Any, key: str) -> Any:
    """A setting as JSON; documents in it stay documents, so that they are damaged inside."""
    value = settings.store.value(key)
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value if isinstance(value, str) else None


def _window() -> Any:
    from PySide6.QtCore import QByteArray

    return QByteArray(b"\x01\xd9\xd0\xcb\x00\x03"), QByteArray(b"\x00\x00\x00\xff")


def _open_settings(path: Path, number: int) -> None:
    """Take every setting as the window does when it comes up."""
    from gui.app.settings import Settings
    from gui.features.view.options import grouping_of
    from gui.look.theme import THEMES, edited

    settings = Settings(_settings_file(path))
    theme = THEMES.get(settings.theme, THEMES["light"])
    edited(theme, settings.colours(theme.name))
    _, form, panel, window = _widgets()
    form.set_specification(settings.specification)
    panel.set_options(settings.figure)
    grouping_of(settings.grouping)
    kept = settings.window
    if kept is not None:
        window.restoreGeometry(kept[0])
        window.restoreState(kept[1])
    assert all(isinstance(path, Path) for path in settings.recent)
    for name in ("folder", "colour_by", "memory", "prediction", "critical_path", "nested",
                 "counters", "node_devices"):  # fmt: skip
        getattr(settings, name)
    settings.remember(Path("/tmp/other.arrow"))
    settings.save()


def _settings_file(path: Path) -> Path:
    """The file itself, or one that holds the values of a JSON document."""
    from PySide6.QtCore import QSettings

    if path.suffix != ".json":
        return path
    with suppress(ValueError, RecursionError, AttributeError):
        store = QSettings(str(path.with_suffix(".ini")), QSettings.Format.IniFormat)
        for key, value in json.loads(path.read_bytes()).items():
            text = value if isinstance(value, str) else json.dumps(value)
            store.setValue(key or "none", text.encode(errors="replace").decode())
        store.sync()
    return path.with_suffix(".ini")


@cache
def _widgets() -> Any:
    from PySide6.QtWidgets import QApplication, QMainWindow

    from gui.features.figures.panel import FigurePanel
    from gui.features.run.panel import StrategyPanel

    app = QApplication(["fuzz", "-platform", "offscreen"])
    window = QMainWindow()
    return app, StrategyPanel(), FigurePanel(lambda wish: None, window), window


def _arrow_files() -> list[File]:
    """Whole runs, each once as the engine sends it and once with fewer, longer batches."""
    from tests.make_believe import record, specification

    files = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.arrow"
        for wanted in (specification("dp", steps=2), specification(microbatches=4, steps=3)):
            record(wanted, path)
            files.append((".arrow", path.read_bytes()))
            files.append((".arrow", _with_one_batch(path.read_bytes())))
    return files


def _saved_files() -> list[File]:
    """Other programs' traces that were saved as recordings."""
    from core.recording.exporters.recording import write_recording
    from core.recording.recording import open_recording

    files = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.arrow"
        for suffix, data in (*EXAMPLES["chrome"].files()[:1], *EXAMPLES["megascan"].files()):
            foreign = Path(folder) / f"foreign{suffix}"
            foreign.write_bytes(data)
            for _ in write_recording(open_recording(foreign).trace, path):
                pass
            files.append((".arrow", path.read_bytes()))
    return files


def _with_one_batch(stream: bytes) -> bytes:
    reader = pa.ipc.open_stream(stream)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, reader.schema) as writer:
        writer.write_table(reader.read_all().combine_chunks())
    return sink.getvalue()


def _open_arrow(path: Path, number: int) -> None:
    """Open, sum up and explain; what is read is in order, whatever the file holds."""
    from core.predict.compare import predict_steps
    from core.recording.recording import open_recording
    from core.report.summary import summarise

    trace = open_recording(path).trace
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        assert (spans.end >= spans.start).all(), f"a span of lane {lane} ends before it starts"
        assert (np.diff(spans.start) >= 0).all(), f"lane {lane} is out of order"
    for step in summarise(trace).steps:
        for lane in step.lanes:
            if step.complete:
                explained = sum(lane.idle_by_cause.values())
                assert explained == lane.idle_ns or (
                    not trace.header.source.has_plan and 0 <= explained < lane.idle_ns
                )
    with suppress(PlanError):  # its costs may say nothing of its tasks
        predict_steps(trace)
    _read_arguments(trace)
    if number % DRAWN == 0:
        _draw(trace)


def _rank_files() -> list[File]:
    """The second rank of a job."""
    from tests.core.recorder.made import two_ranks

    with tempfile.TemporaryDirectory() as folder:
        two_ranks(Path(folder), (10**12, 10**12 + 500))
        return [(".arrow", (Path(folder) / "rank-1.arrow").read_bytes())]


def _open_ranks(path: Path, number: int) -> None:
    """Open it beside the first rank, as one run."""
    from tests.core.recorder.made import two_ranks

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        two_ranks(folder)
        shutil.copy(path, folder / "rank-1.arrow")
        try:
            _open_arrow(folder, number)
        except RecordingError as error:  # it names the file in the folder
            raise RecordingError(str(error).replace(f"{folder}", f"{path}")) from error


@cache
def _indexed() -> tuple[Path, Any]:
    """A recording that has an index, in a folder that goes with the process; and its trace."""
    from core.recording.index import build_index
    from core.recording.recording import open_recording
    from tests.make_believe import record, specification

    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    os.environ["XDG_CACHE_HOME"] = folder.name
    path = Path(folder.name) / "run.arrow"
    record(specification(microbatches=4, steps=3), path)
    os.utime(path, (1, 1))  # an index knows its recording by that
    build_index(path)
    return path, _columns(open_recording(path, indexed_from=1 << 40).trace)


def _columns(trace: Any) -> list[Any]:
    """All that a trace tells, to be compared."""
    lanes = [trace.spans(lane) for lane in range(len(trace.header.lanes))]
    counters = [
        (c.name, c.lane, c.times.tolist(), c.values.tolist()) for c in trace.counters.values()
    ]
    spans = [[s.start.tolist(), s.end.tolist(), s.step.tolist(), s.row.tolist()] for s in lanes]
    return [spans, trace.table.rows.tolist(), counters, list(trace.logs), trace.costs]


def _index_files() -> list[File]:
    path, _ = _indexed()
    return [("", path.with_name("run.arrow.index").read_bytes())]


def _open_index(path: Path, number: int) -> None:
    """Open a recording that has this index: it tells what it told, whatever the index holds."""
    from core.recording.recording import open_recording

    recording, wanted = _indexed()
    shutil.copy(path, recording.with_name("run.arrow.index"))
    assert _columns(open_recording(recording, indexed_from=1).trace) == wanted


def _made_arrow(files: Callable[[], list[File]]) -> Callable[[Random, int], File]:
    @cache
    def valid() -> list[bytes]:
        return [data for _, data in files()]

    return lambda random, _: made_stream(valid(), random)


def _made_costs(random: Random, _: int) -> File:
    """Costs in JSON, of which any value is another, or in TOML."""
    if random.random() < 0.4:
        return made_toml(random)
    document = json.loads(random.choice(_costs_files()[:2])[1])
    for _ in range(random.choice((1, 2, 8))):
        document = changed_document(document, random)
    return ".json", json.dumps(document).encode()


def _made_schedule(random: Random, _: int) -> File:
    return made_table([data for _, data in _schedule_files()], random)


def _bomb(_: Random, number: int) -> File:
    return list(BOMBS.values())[number % len(BOMBS)]()


def _one_of_each() -> list[File]:
    """A small file of each format that BOMBS has."""
    files = [EXAMPLES[format_.name].files()[0] for format_ in TRACE_FORMATS]
    return [*files, _rank_files()[0]]


def _open_bomb(path: Path, number: int) -> None:
    """Open it as the window does: reading is what takes time and memory."""
    from core.recording.recording import open_recording

    open_recording(path)


_KINETO = EXAMPLES["kineto"]
READERS: dict[str, Reader] = {
    "bombs": Reader(_one_of_each, _open_bomb, (RecordingError,), _bomb, 1.0),
    "arrow": Reader(_arrow_files, _open_arrow, (RecordingError,), _made_arrow(_arrow_files)),
    "saved": Reader(_saved_files, _open_arrow, (RecordingError,), _made_arrow(_saved_files)),
    "ranks": Reader(_rank_files, _open_ranks, (RecordingError,), _made_arrow(_rank_files)),
    "wire": Reader(wire_files, open_wire, (NotHeard,)),
    "index": Reader(_index_files, _open_index, ()),
    **{
        name: Reader(EXAMPLES[name].files, _open_imported, (RecordingError,), EXAMPLES[name].broken)
        for name in FORMAT_NAMES
    },
    "stages": Reader(STAGES.files, _open_stage, (), STAGES.broken),
    "folder": Reader(_KINETO.files, _open_in_folder, (), _KINETO.broken),
    "costs": Reader(_costs_files, _open_costs, (CostError,), _made_costs),
    "schedule": Reader(_schedule_files, _open_schedule, (PlanError,), _made_schedule),
    "marks": Reader(_bookmarks_files, _open_bookmarks, (BookmarksError,)),
    "settings": Reader(_settings_files, _open_settings, ()),
}
