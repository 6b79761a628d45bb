"""Valid files of every format of other programs, and functions that make files which break it."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from core.recording.formats import TRACE_FORMATS
from tests.core.recording.importers import foreign_files
from tests.core.recording.importers.ascend_files import AscendFile
from tests.core.recording.importers.kineto_files import kineto_file
from tests.core.recording.importers.kineto_ranks import MAIN, RankFile
from tests.core.recording.importers.pipeline_files import (
    as_parquet,
    ndtimeline_events,
    ndtimeline_table,
    small_job,
)
from tests.core.recording.importers.pipeline_jobs import JobOptions, make_job, primus_files
from tests.fuzz.bombs import File
from tests.fuzz.made.databases import made_database
from tests.fuzz.made.documents import made_document
from tests.fuzz.made.packets import made_trace
from tests.fuzz.made.pipelines import made_dump, made_parquet

TWO_RANKS = Path(__file__).parents[1] / "data" / "two-ranks"


def _format_names() -> list[str]:
    """Return the names of all formats and dialects."""
    names = []
    for format_ in TRACE_FORMATS:
        names.append(format_.name)
        names += [dialect.name for dialect in format_.dialects]
    return names


FORMAT_NAMES = _format_names()


@dataclass(frozen=True, slots=True)
class Examples:
    """Valid files of a format; `broken` makes a file that breaks its rules, by its number."""

    files: Callable[[], list[File]]
    broken: Callable[[Random, int], File]


def _json_examples(files: Callable[[], list[File]], key: str) -> Examples:
    """Return examples of a format in JSON with a list at `key`."""

    @cache
    def documents() -> list[bytes]:
        return [data for suffix, data in files() if not suffix.endswith(".gz")]

    return Examples(files, lambda random, _: made_document(documents(), key, ".json", random))


def _chrome_files() -> list[File]:
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "trainer"}},
        {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "main"}},
    ]
    for n in range(60):
        own = {"ph": "X", "pid": 7, "tid": n % 3}
        deep = {"deep": {"er": [1, 2]}}
        events.append({**own, "ts": 100 * n, "dur": 90.5, "name": "a"})
        events.append({**own, "ts": 100 * n + 5, "dur": "20", "name": f"b{n % 9}", "args": deep})
    events.append({"ph": "i", "pid": 7, "tid": "io", "ts": 112, "name": "mark"})
    bare, whole = json.dumps(events), json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})
    packed = gzip.compress(whole.encode(), mtime=0)
    return [(".json", bare.encode()), (".json", whole.encode()), (".json.gz", packed)]


def _kineto_files() -> list[File]:
    """Return a rank's file as the profiler writes it, and one with a device's tasks."""
    packed = (TWO_RANKS / "rank-0.json.gz").read_bytes()
    events: list[dict[str, Any]] = []
    for n in range(3):
        step = {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{n}"}
        events.append({**step, "pid": 9, "tid": 1, "ts": 100 * n, "dur": 100})
    for n in range(40):
        name, stream = ("ncclDevKernel_AllReduce", 20) if n % 5 == 0 else (f"gemm{n % 3}", 7)
        shared = {"ph": "X", "args": {"correlation": n + 1}}
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 1}
        task = {"cat": "kernel", "name": name, "pid": 0, "tid": stream}
        events.append({**shared, **call, "ts": 7 * n, "dur": 2})
        events.append({**shared, **task, "ts": 7 * n + 3, "dur": 5.5})
    document = json.dumps(kineto_file(1, events)).encode()
    stages = RankFile(1)
    stages.step(1, 0, 1000)
    for n in range(12):
        way = ("arguments", "name", "call")[n % 3]
        stages.transfer(0, 10 * n, 60 * n, 20, sends=n % 2 == 0, way=way)
        stages.mark(("attn (F3)", "Backward 2", "PP:(2F3;5B1)OVERLAP_F_B")[n % 3], 10 * n + 5, 4)
        stages.kernel("gemm", 10 * n + 6, 60 * n + 20, 35)
    of_pipeline = json.dumps(stages.written(2)).encode()
    plain = gzip.decompress(packed)
    files = [packed, plain, document, of_pipeline, _gloo_file()]
    return [(".json.gz" if data is packed else ".json", data) for data in files]


def _gloo_file() -> bytes:
    """Return the file of a rank without a device, which sends to two ranks and receives."""
    file = RankFile(1)
    file.groups = [{"pg_name": "0", "ranks": [0, 1, 2]}]
    file.step(1, 0, 1000)
    for n in range(12):
        word, call = (("send", "c10d::send"), ("recv", "c10d::recv_"))[n % 2]
        inputs = {"Concrete Inputs": ["", "", str(n % 3), "0"]}
        file.event("cpu_op", call, 60 * n, 4, MAIN, **inputs)
        file.event("user_annotation", f"gloo:{word}", 60 * n + 2, 30, MAIN)
        file.event("cpu_op", "aten::mm", 60 * n + 10, 40, MAIN)
    return json.dumps(file.written(3)).encode()


def stage_files() -> list[File]:
    """Return the file of the middle one of three ranks of a pipeline, with and without a device.

    `neighbours_of_stage` has the others.
    """
    return [(".json", json.dumps(_stage(1).written(3)).encode()), (".json", _gloo_file())]


def neighbours_of_stage() -> list[tuple[str, bytes]]:
    """Return the names and contents of the files of ranks 0 and 2."""
    files = []
    for rank in (0, 2):
        files.append((f"rank-{rank}.json", json.dumps(_stage(rank).written(3)).encode()))
    return files


def _stage(rank: int) -> RankFile:
    """Return a rank of a pipeline of three, which passes on what it receives in 6 micro-batches."""
    file = RankFile(rank)
    file.step(1, 0, 1000)
    for n in range(6):
        start = 100 * n + 60 * rank
        way = ("arguments", "name", "call")[n % 3]
        if rank > 0:
            file.transfer(rank - 1, start, start, 20, sends=False, way=way)
        file.mark(f"Forward {n}", start + 18, 4)
        file.kernel("gemm", start + 19, start + 20, 30)
        if rank < 2:
            file.transfer(rank + 1, start + 30, start + 60, 20, sends=True, way=way)
    return file


def _ascend_files() -> list[File]:
    """Return a rank's file as a list, and packed in an object with a heading."""
    file = AscendFile(1)
    for step in range(3):
        begin = 1_000_000 * step
        file.step(step, begin, begin + 1_000_000)
        for number in range(6):
            start = begin + 100_000 * number
            file.kernel(f"MatMulV{number % 3}", start + 3_000, start + 10_000, start + 60_007)
        file.collective(
            f"hcom_allReduce__586_{step}_1", begin + 1_000, begin + 70_000, begin + 90_000
        )
        for word, number in (("send", 0), ("receive", 1), ("batchSendRecv", 2)):
            start = begin + 100_000 + 30_000 * number
            name = f"hcom_{word}__447_{3 * step + number}_1"
            file.collective(name, begin + 1_000, start, start + 20_000, group=1)
        file.copy(begin + 700_000, begin + 710_000, begin + 720_000, stream=5)
        file.wait(begin + 800_000, begin + 900_000)
    bare = json.dumps(file.written())
    whole = json.dumps(kineto_file(1, file.written()))
    return [(".json", bare.encode()), (".json.gz", gzip.compress(whole.encode(), mtime=0))]


def _megascan_files() -> list[File]:
    return [(".json", json.dumps(foreign_files.MEGASCAN).encode())]


def _primus_files() -> list[File]:
    """Return a rank's dump of a made-up job, with and without micro-batches listed."""
    job = make_job(JobOptions(ranks=2, microbatches=4, steps=2, sends=False, own_clocks=True))
    text = primus_files(job)["pp_rank_0.json"]
    iterations = json.loads(text)
    for iteration in iterations.values():
        for word in ("fwd", "bwd"):
            iteration[f"{word}_minibatch"] = iteration[f"{word}_chunk"] = []
    return [(".json", text.encode()), (".json", json.dumps(iterations).encode())]


def _ndtimeline_files() -> list[File]:
    texts = [json.dumps(ndtimeline_events(small_job(), way)).encode() for way in (False, True)]
    return [(".json", texts[0]), (".json", texts[1]), (".json.gz", gzip.compress(texts[0]))]


def _ndtimeline_tables() -> list[File]:
    return [(".parquet", as_parquet(ndtimeline_table(small_job())))]


def _made_dump(random: Random, number: int) -> File:
    return made_dump([data for _, data in _primus_files()], random)


def _flight_files() -> list[File]:
    return [(".json", foreign_files.flight_dump())]


def _nsight_files() -> list[File]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        foreign_files.nsight_export(path)
        return [(".sqlite", path.read_bytes())]


def _perfetto_files() -> list[File]:
    data = foreign_files.perfetto_trace()
    return [(".pftrace", data), (".pftrace", gzip.compress(data, mtime=0))]


STAGES = _json_examples(stage_files, "traceEvents")
"""Examples of one rank of a pipeline; the others are intact."""
EXAMPLES: dict[str, Examples] = {
    "chrome": _json_examples(_chrome_files, "traceEvents"),
    "kineto": _json_examples(_kineto_files, "traceEvents"),
    "ascend": _json_examples(_ascend_files, "traceEvents"),
    "megascan": _json_examples(_megascan_files, "traceEvents"),
    "ndtimeline": _json_examples(_ndtimeline_files, "traceEvents"),
    "primus": Examples(_primus_files, _made_dump),
    "ndtimeline-table": Examples(_ndtimeline_tables, lambda random, _: made_parquet(random)),
    "flight": _json_examples(_flight_files, "entries"),
    "nsight": Examples(_nsight_files, lambda random, _: made_database(random)),
    "perfetto": Examples(
        _perfetto_files, lambda random, _: made_trace(foreign_files.perfetto_trace(), random)
    ),
}
"""Examples by the name of the format or dialect in `core.recording.formats`."""
