"""The Python interface: what it returns, what it refuses, and what it leaves behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from html import unescape
from pathlib import Path

import polars
import pytest

import bubblescope as bs
from core.paths import PROJECT_ROOT
from core.report.summary import summarise

pytest.importorskip("torch")
SMALL = {"width": 16, "depth": 4, "batch": 16, "progress": False, "calibrate": False}


@pytest.fixture(scope="module")
def made() -> bs.Run:
    """A real run of 1F1B on four virtual lanes."""
    return bs.run(
        "pipeline", schedule="1f1b", devices="4xvirtual:cpu", microbatches=4, steps=6, **SMALL
    )


def test_a_run_has_the_figures_of_its_summary(made: bs.Run) -> None:
    median = summarise(made.trace).median
    assert made.step_ms == median.makespan_ns / 1e6
    assert made.bubble == median.bubble_by_makespan
    assert [step.step for step in made.steps] == [2, 3, 4, 5, 6, 7]
    assert made.verdict is not None and str(made.verdict.text) in repr(made)


def test_spans_and_idle_time_are_tables_that_other_libraries_read(made: bs.Run) -> None:
    spans = polars.from_arrow(made.spans())
    assert isinstance(spans, polars.DataFrame)
    # Four micro-batches through four stages, forward and backward, in eight steps with warm-up.
    passes = spans.filter(polars.col("kind").is_in(["forward", "backward"]))
    assert len(passes) == 8 * 2 * 4 * 4
    idle = polars.from_arrow(made.idle())
    assert isinstance(idle, polars.DataFrame)
    step = made.median.step
    lost = sum(lane.idle_ns for lane in made.median.lanes if lane.role == "compute")
    assert idle.filter(polars.col("step") == step)["duration_ns"].sum() == lost


def test_a_saved_run_opens_with_the_same_figures(made: bs.Run, tmp_path: Path) -> None:
    made.save(tmp_path / "run.arrow")
    opened = bs.open(tmp_path / "run.arrow")
    assert (opened.summary, opened.warning) == (made.summary, "")
    same = bs.compare(made, tmp_path / "run.arrow")
    assert same.difference_ms == 0 and "equally long" in same.text
    assert bs.gate(opened, made).passes


def test_figures_and_reports_are_files(made: bs.Run, tmp_path: Path) -> None:
    made.figure(tmp_path / "x.pdf", preset="one-column", greyscale=True)
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    bs.compare(made, made).figure(tmp_path / "two.png")
    assert (tmp_path / "two.png").read_bytes().startswith(b"\x89PNG")
    made.report(tmp_path / "x.html")
    assert "Idle time by cause" in (tmp_path / "x.html").read_text("utf-8")


def test_a_notebook_shows_the_verdict_and_the_timeline_in_one_frame(made: bs.Run) -> None:
    output = made._repr_html_()
    assert output.startswith("<iframe") and output.count("<iframe") == 1
    assert made.verdict is not None and str(made.verdict.text) in unescape(unescape(output))
    assert "data-run=" in output and len(output.encode()) < 1_000_000
    assert "<table>" in bs.compare(made, made)._repr_html_()


def test_a_large_output_leaves_spans_out_and_says_so(
    made: bs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = len(made._repr_html_().encode())
    monkeypatch.setattr("gui.report.notebook.FIRST_SPANS", 64)
    monkeypatch.setattr("gui.report.notebook.MOST_BYTES", whole - 1)
    output = made._repr_html_()
    assert len(output.encode()) < whole
    assert "last 1 of these 6 steps" in output


def test_a_plan_is_predicted_from_a_run(made: bs.Run) -> None:
    options = {"microbatches": 4, "width": 16, "depth": 4, "batch": 16}
    predicted = bs.predict("pipeline", schedule="gpipe", measured=made, **options)
    assert predicted.trace.header.specification.devices == "4xvirtual:cpu"
    assert 0 < predicted.step_ms < 100 * made.step_ms
    slow = bs.predict("pipeline", schedule="gpipe", measured=made, link="5000:1", **options)
    assert slow.step_ms > predicted.step_ms + 3 * 5  # three transfers of 5 ms there, and back
    late = bs.predict("pipeline", measured=made, hiccup="lane=0,step=1,ms=50", **options)
    assert late.step_ms > 50 and late.summary.injected_faults == {"hiccup": "lane=0,step=1,ms=50"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bs.run("pipline"), "there is no strategy 'pipline'"),
        (lambda: bs.run(microbatch=3), "'microbatch': use microbatches"),
        (lambda: bs.run(steps="3"), "steps='3': use a whole number"),
        (lambda: bs.run(steps=True), "steps=True: use a whole number"),
        (lambda: bs.run("dp", schedule="gpipe"), "--schedule is not for dp"),
        (lambda: bs.run("dp", record="no folder/x.arrow"), "no folder"),
        (lambda: bs.open("nothing.arrow"), "nothing.arrow: there is no such file"),
        (lambda: bs.predict(), "either costs=FILE or measured=RUN"),
        (lambda: bs.run("ddp", launcher="torchrun"), "for the command line"),
    ],
)
def test_bad_input_is_one_line(call, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(bs.BubblescopeError) as raised:
        call()
    assert words in str(raised.value) and "\n" not in str(raised.value)


INTERRUPTED = """
import sys
import bubblescope as bs
try:
    bs.run("pipeline", devices="2xvirtual:cpu", steps=100_000, width=16, depth=4, batch=16,
           calibrate=False, progress=False, record=sys.argv[1])
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("output", ["record", "gradients"])
@pytest.mark.parametrize("name", ["model", "schedule"])
def test_a_run_does_not_replace_the_files_that_it_reads(
    tmp_path: Path, name: str, output: str
) -> None:
    files = {"model": tmp_path / "net.py", "schedule": tmp_path / "order.csv"}
    files["model"].write_text("import torch\nmodel = torch.nn.Linear(4, 4)\n")
    files["schedule"].write_text("0F0,0B0\n1F0,1B0\n")
    before = files[name].read_text()
    written = tmp_path / "run.npz"
    written.symlink_to(files[name])
    given = {name: files[name], "devices": "2xvirtual", "batch": 4, "progress": False}
    with pytest.raises(bs.BubblescopeError, match="that file is an input"):
        bs.run(**given, **{output: str(written)})  # type: ignore[arg-type]
    assert files[name].read_text() == before


def test_an_interrupted_run_ends_its_process_and_keeps_the_recording(tmp_path: Path) -> None:
    file = tmp_path / "run.arrow"
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(file)],
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not file.exists() or file.stat().st_size < 100_000:  # some steps
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n"
    assert process.returncode == 0 and bs.open(file).steps
    with pytest.raises(ProcessLookupError):  # nothing is left of its session
        os.killpg(process.pid, 0)


def test_a_thread_may_run(tmp_path: Path) -> None:
    found = []
    options = {"devices": "2xvirtual:cpu", "steps": 1, **SMALL}
    thread = threading.Thread(target=lambda: found.append(bs.run("dp", **options)))
    thread.start()
    thread.join()
    assert len(found[0].steps) == 1


def test_a_window_that_cannot_open_says_why(made: bs.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(bs.BubblescopeError, match="there is no display"):
        made.show()


def test_importing_takes_no_time_and_no_library() -> None:
    # Processor time, because other programs may use the machine too.
    code = (
        "import sys, time; start = time.process_time(); import bubblescope; "
        "took = time.process_time() - start; "
        "print(took < 0.1, 'torch' in sys.modules, 'numpy' in sys.modules, 'core' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False", "False", "False"]


def test_a_project_with_its_own_core_package_gets_one_line(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").touch()
    code = (
        "import core, bubblescope\ntry: bubblescope.run\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{PROJECT_ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the package 'core' of" in done.stdout and "process of its own" in done.stdout
