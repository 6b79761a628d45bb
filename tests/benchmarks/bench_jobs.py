"""Training scripts as people write them: recorded and not, they do the same, and nothing is lost.

Each script of `jobs/` runs without a recording, with `with record` and by `bubblescope record --`.
Compared are losses and checkpoint (bitwise), the steps, and the spans of one block, the updates and
the waits for data with stamps that the script takes inside them. Then one rank sleeps for 20 ms in
one place, and the verdict has to name it.

A run takes some ten seconds. Each result is a line of a file, at BUBBLESCOPE_JOBS or in the
temporary folder; a second call goes on where the first one ended, and lines that are removed are
made again. JOBS names the scripts to run, and JOB_WAYS the ways to record faults, if not all are.
Scripts of libraries that cannot be imported (also from PYTHONPATH) are left out with a line.

    make bench ARGS="tests/benchmarks/bench_jobs.py -k unchanged"
    JOBS="gan zero" make bench ARGS="tests/benchmarks/bench_jobs.py -k faults"
"""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from bubblescope.cli.report import table
from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from core.report.verdict import verdict
from core.trace.complete import run_faults
from tests.benchmarks.jobs.harness import PLACES

SCRIPTS = Path(__file__).parent / "jobs"
LAUNCH = SCRIPTS / "launch.py"
SECONDS = 240
FORWARD, BACKWARD = ("forward", "recompute"), ("backward", "backward-input", "backward-weight")
KINDS = {"forward": FORWARD, "backward": BACKWARD, "step": ("step",), "data": ("data",)}
"""The phases that scripts stamp, and what they are in a recording."""
MARGIN_NS = 100_000
"""Between a collective and the parts of a pass around it."""
WHOLE = "model"
"""The name of the one block of a model that is compiled as a whole."""


@dataclass(frozen=True)
class Script:
    """A script, the ranks that it is started as, and the ranks that train then."""

    name: str
    ranks: int = 2
    trained: int = 0
    library: str = ""
    unfaulted: tuple[str, ...] = ()

    @property
    def world(self) -> int:
        return self.trained or self.ranks

    @property
    def missing(self) -> bool:
        """True if its library is not installed."""
        return bool(self.library) and importlib.util.find_spec(self.library) is None


ALL = (
    Script("single", 1),
    Script("ddp_sampler"),
    Script("nanogpt"),
    Script("mingpt", 1),
    Script("gan", 1),
    Script("lbfgs", 1),
    Script("amp"),
    Script("clipping"),
    Script("tied_embedding"),
    Script("sparse_embedding"),
    Script("lstm"),
    Script("compiled_ddp"),
    Script("ddp_compiled"),
    Script("compiled_blocks"),
    Script("checkpoint_reentrant"),
    Script("checkpoint"),
    Script("no_sync"),
    Script("static_graph"),
    Script("small_buckets"),
    Script("unused_parameters"),
    Script("compress_hook"),
    Script("zero"),
    Script("fsdp2"),
    Script("dtensor"),
    Script("ddp_pipeline", 4),
    Script("fsdp_tensor_parallel", 4),
    Script("evaluation"),
    Script("exceptions", 1),
    # Its batches are loaded by a thread of its own: no DataLoader is waited for.
    Script("threads", 1, unfaulted=("loader",)),
    Script("timm_vit", library="timm", unfaulted=("update",)),
    Script("accelerate_loop", library="accelerate"),
    Script("hf_trainer", library="transformers"),
    Script("lightning_fit", 1, trained=2, library="lightning"),
)
WAYS = ("with", "command")
"""A recording that the script begins itself, and one by `bubblescope record --`."""


def run(script, folder, way, faults=()):
    """Run a script, with one fault or several in turn; return what went wrong, or ""."""
    environment = {
        **os.environ, "JOB_FOLDER": str(folder), "JOB_FAULT": "", "OMP_NUM_THREADS": "1",
        "JOB_FAULT_RANK": str(script.world - 1), "TOKENIZERS_PARALLELISM": "false",
        "PYTHONPATH": os.pathsep.join([str(PROJECT_ROOT), os.environ.get("PYTHONPATH", "")]),
        "JOB_RECORD": str(folder / "runs") if way == "with" else "",
    }  # fmt: skip
    path = str(SCRIPTS / f"{script.name}.py")
    words = [sys.executable, str(LAUNCH), str(script.ranks), path]
    if script.trained:  # the library starts the other ranks
        words = [sys.executable, path]
    if len(faults) == 1:
        environment["JOB_FAULT"] = faults[0]
    else:
        words += faults
    if way == "command":
        main = [sys.executable, str(PROJECT_ROOT / "main.py")]
        words = [*main, "record", "--out", str(folder / "runs"), "--", *words]
    job = subprocess.Popen(
        words, cwd=folder, env=environment, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    seconds = SECONDS * max(1, len(faults))
    try:
        said, _ = job.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        said = job.communicate()[0] + f"\nno end after {seconds} s"
    (folder / "said.txt").write_text(said, "utf-8")
    if job.returncode:
        return f"status {job.returncode}: " + " | ".join(said.strip().splitlines()[-3:])
    lines = [line for line in said.splitlines() if line.startswith("bubblescope:")]
    return " | ".join(lines)


def results(script, folder):
    """Return what each rank has written."""
    paths = [folder / f"result-{rank}.json" for rank in range(script.world)]
    return [json.loads(path.read_text("utf-8")) for path in paths]


# ---- what is recorded, against the script's own stamps ----


def deviations(trace, result):
    """Return how far spans are from the stamps of a rank's result in µs, by phase; and faults.

    `trace` is the rank's own. A stamp is compared with all spans of its kind that it overlaps: a
    pass that waits for a collective is told in parts.
    """
    origin = trace.header.origin_ns
    found, wrong = {phase: [] for phase in KINDS}, []
    spans = [span for span in trace if span.step in trace.steps]
    begins = min((span.start for span in spans if str(span.kind) in FORWARD), default=0)
    for phase, kinds in KINDS.items():
        mine = [span for span in spans if str(span.kind) in kinds]
        if phase in ("forward", "backward") and result["block"] is not None:
            mine = [span for span in mine if span.name == result["block"]]
        taken = set()
        for name, begun, ended in result["stamps"]:
            # The update of a second optimizer is one too.
            if name.removeprefix("other ") != phase:
                continue
            start, end = begun - origin, ended - origin
            if not result["block"] and end < begins:
                continue  # torch tries a pipeline's stage once, before the first step
            over = [n for n, span in enumerate(mine) if span.start < end and span.end > start]
            if not over:
                wrong.append(f"{phase} at {start / 1e6:.1f} ms is lost")
                continue
            taken.update(over)
            first, last = min(mine[n].start for n in over), max(mine[n].end for n in over)
            # Of a model that is compiled as a whole only the whole is seen.
            if result["block"] != WHOLE or phase not in ("forward", "backward"):
                found[phase].append(max(abs(first - start), abs(last - end)) / 1e3)
            elif not first <= start <= end <= last:
                wrong.append(f"{phase} at {start / 1e6:.1f} ms lies partly outside of the model's")
        is_stamped = any(name == phase for name, *_ in result["stamps"])
        others = [span for n, span in enumerate(mine) if n not in taken]
        moved = [span for span in spans if span.kind.is_collective]
        extra = sum(not is_part(span, moved) for span in others) if is_stamped else 0
        if extra and phase != "data":
            wrong.append(f"{extra} {phase} spans without a stamp")
    return found, wrong


def is_part(span, moved):
    """Return True for a part of a pass that ends or begins where a collective is waited for."""
    return any(
        one.step == span.step and one.start - MARGIN_NS <= at <= one.end + MARGIN_NS
        for one in moved
        for at in (span.start, span.end)
    )


def check(script, folder, plain, way):
    """Run a script with a recording, and compare it with `plain`, the results without one."""
    told = run(script, folder, way)
    if told.startswith("status"):
        return {"wrong": [told]}
    mine = results(script, folder)
    wrong = [told] if told else []
    for name in ("losses", "checkpoint"):
        if [one[name] for one in mine] != [one[name] for one in plain]:
            wrong.append(f"other {name}")
    opened = open_recording(folder / "runs")
    trace = opened.trace
    steps = mine[0]["steps"] or len(mine[0]["losses"])
    if opened.warning:
        wrong.append(str(opened.warning))
    if trace.steps != list(range(steps)):
        wrong.append(f"{len(trace.steps)} steps, not {steps}")
    wrong += [fault.text for fault in run_faults(trace)]
    wrong += [row.text for row in trace.logs if row.text != "finished"]
    found = {phase: [] for phase in KINDS}
    for rank, result in enumerate(mine):
        own = open_recording(folder / "runs" / f"rank-{rank}.arrow").trace
        far, lost = deviations(own, result)
        wrong += [f"rank {rank}: {text}" for text in lost]
        for phase, values in far.items():
            found[phase] += values
    moves = sum(span.kind.is_collective for span in trace)
    medians = {phase: [float(np.median(v)), max(v)] for phase, v in found.items() if v}
    # Of a recording that ended early everything is lost: the first lines say enough.
    return {"wrong": wrong[:8], "deviations": medians, "steps": steps, "collectives": moves}


# ---- results ----


@dataclass(frozen=True)
class Line:
    """The result of one run, as a line of JSON; `found` is empty if all is as it should be."""

    script: str
    way: str
    fault: str
    found: dict


def all_lines(name):
    """Return the file of results, and what is in it."""
    folder = Path(os.environ.get("BUBBLESCOPE_JOBS", tempfile.gettempdir()))
    file = folder / f"bubblescope-jobs-{name}.jsonl"
    texts = file.read_text("utf-8").splitlines() if file.exists() else []
    return file, [Line(**json.loads(text)) for text in texts]


def chosen():
    """Return the scripts to run: all, or those that JOBS names, without those that cannot be."""
    names = os.environ.get("JOBS", "").split()
    scripts = [script for script in ALL if not names or script.name in names]
    for script in scripts:
        if script.missing:
            print(f"{script.name} is left out: {script.library} is not installed")
    return [script for script in scripts if not script.missing]


def test_jobs_are_unchanged_and_their_recordings_are_whole(tmp_path):
    file, done = all_lines("unchanged")
    known = {(line.script, line.way) for line in done}
    with file.open("a", encoding="utf-8") as lines:
        for script in chosen():
            ways = [way for way in WAYS if (script.name, way) not in known]
            if not ways:
                continue
            folder = tmp_path / script.name
            folder.mkdir()
            told = run(script, folder, "")
            plain = [] if told else results(script, folder)
            for way in ways:
                place = tmp_path / f"{script.name}-{way}"
                place.mkdir()
                failed = {"wrong": [f"without a recording: {told}"]}
                found = failed if told else check(script, place, plain, way)
                done.append(Line(script.name, way, "", found))
                lines.write(json.dumps(asdict(done[-1])) + "\n")
                lines.flush()
                print(done[-1], flush=True)
    mine = [line for line in done if line.script in [script.name for script in chosen()]]
    print("\n" + unchanged_text(mine))
    assert not [line for line in mine if line.found["wrong"]]


def unchanged_text(done):
    """Of each script and way: how far spans are from stamps in µs (median, most), what is wrong."""
    rows = []
    for line in done:
        far = line.found.get("deviations", {})
        cells = [
            f"{far[phase][0]:.0f}, {far[phase][1]:.0f}" if phase in far else "–" for phase in KINDS
        ]
        about = [line.found.get("steps", ""), line.found.get("collectives", "")]
        rows.append((line.script, line.way, *about, *cells, "; ".join(line.found["wrong"])[:300]))
    header = ("script", "way", "steps", "collectives", *KINDS, "wrong")
    return table(header, rows)


# ---- faults ----


EXPECTED = {
    "loader": ("data",),
    "forward": ("block", "slow-lane"),
    "backward": ("block", "slow-lane"),
    "update": ("update",),
    "host": ("host",),
}
"""The verdicts that name a fault, by its place."""


def judged(script, folder, way, faults):
    """Run a script with faults of its last rank; yields each, and whether the verdict names it."""
    if way == "with" and not script.trained and len(faults) > 1:
        told = run(script, folder, way, faults)
        for fault in faults:
            yield fault, judge(script, folder / fault, fault, told)
        return
    for fault in faults:
        place = folder / fault
        place.mkdir()
        yield fault, judge(script, place, fault, run(script, place, way, (fault,)))


def judge(script, folder, fault, told):
    """Return the verdict on a run with a fault, and whether it names that."""
    if told:
        return {"right": False, "kind": "", "where": "", "text": told}
    found = verdict(open_recording(folder / "runs").trace)
    # With one rank there is none to name.
    rank = script.world - 1
    is_named = not rank or found.where in (f"rank {rank}", f"lane {rank}")
    right = str(found.kind) in EXPECTED[fault] and is_named
    return {"right": right, "kind": str(found.kind), "where": found.where, "text": str(found.text)}


def faults_of(script):
    """Return the places where a fault of the script's last rank can be told from the others."""
    places = [place for place in PLACES if place not in script.unfaulted]
    # A block or an update of a job of one rank has no peer that does the same.
    return [p for p in places if script.world > 1 or p in ("loader", "host")]


def test_the_faults_of_a_rank_are_named(tmp_path):
    file, done = all_lines("faults")
    known = {(line.script, line.way, line.fault) for line in done}
    with file.open("a", encoding="utf-8") as lines:
        for way in os.environ.get("JOB_WAYS", " ".join(WAYS)).split():
            for script in chosen():
                left = [f for f in faults_of(script) if (script.name, way, f) not in known]
                place = tmp_path / f"{script.name}-{way}"
                place.mkdir()
                for fault, found in judged(script, place, way, left) if left else ():
                    line = Line(script.name, way, fault, found)
                    done.append(line)
                    lines.write(json.dumps(asdict(line)) + "\n")
                    lines.flush()
                    print(line, flush=True)
                shutil.rmtree(place)
    mine = [line for line in done if line.script in [script.name for script in chosen()]]
    print("\n" + faults_text(mine))
    assert all(line.found["right"] for line in mine)


def faults_text(done):
    """Of each script and way: the verdict of each fault, and the texts of wrong ones."""
    verdicts = {(line.script, line.way, line.fault): line.found for line in done}
    rows = []
    for script, way in dict.fromkeys((line.script, line.way) for line in done):
        found = [verdicts.get((script, way, place)) for place in PLACES]
        words = ["–" if one is None else "yes" if one["right"] else one["kind"] for one in found]
        rows.append((script, way, *words))
    wrong = [
        f"{line.script} {line.way} {line.fault}: {line.found['text']}"
        for line in done
        if not line.found["right"]
    ]
    return table(("script", "way", *PLACES), rows) + "\n" + "\n".join(wrong)
