import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

from core.paths import PROJECT_ROOT
from core.recording.recording import RecordingFile, open_recording
from core.recording.schema import COSTS_LEVEL, Record
from core.trace.complete import run_faults
from tests.bubblescope.cli.status import status_of
from tests.core.helpers import Note, batch_of
from tests.make_believe import batches, specification

pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("forked_engines")

MAIN = [sys.executable, str(PROJECT_ROOT / "main.py")]


@pytest.fixture
def call(commands, tmp_path):
    """Runs main.py with some words in the test's folder; its engine is forked."""

    def run(*lines):
        return commands.run(tmp_path, " ".join(lines).split())

    return run


def test_a_run_writes_recording_and_summary_and_prints_a_table(call, tmp_path):
    done = call(
        "run --strategy pipeline --schedule 1f1b --model mlp --width 32 --devices 2xcpu",
        "--batch 64 --microbatches 8 --steps 5 --warmup 2 --verify --record run.arrow",
        "--summary run.json --gradients last.npz",
    )
    assert done.returncode == 0, done.stderr
    assert "gradient error" in done.stdout and "cpu:1" in done.stdout
    values = json.loads((tmp_path / "run.json").read_text())
    assert values["strategy"] == "pipeline" and values["model"] == "mlp"
    assert values["devices"] == ["cpu", "cpu"]
    assert values["splits"] == [[64]] * 5 and values["microbatch_rows"] == [8] * 8
    assert values["gradient_error"] <= 1e-5 and values["loss_error"] <= 1e-5
    assert len(values["steps"]) == 5
    for step in values["steps"]:
        assert step["loss"] > 0 and [lane["name"] for lane in step["lanes"]] == ["cpu:0", "cpu:1"]
        for lane in step["lanes"]:
            total = lane["busy_ns"] + lane["communication_ns"] + lane["idle_ns"]
            assert total == step["makespan_ns"]
            assert lane["spans"] > 0 and lane["peak_bytes"] > 0 and lane["device"] == "cpu"
    opened = open_recording(tmp_path / "run.arrow")
    assert opened.warning == "" and opened.trace.steps == list(range(7))
    assert "before/0.0.weight" in np.load(tmp_path / "last.npz")
    again = call("summary run.arrow")
    assert (again.returncode, again.stderr) == (0, "") and json.loads(again.stdout) == values


def test_a_run_that_is_not_predicted_says_why(call, tmp_path):
    done = call(
        "run --strategy mp --devices 2xvirtual --batch 8 --width 8 --steps 1 --warmup 1",
        "--no-calibrate",
    )
    assert done.returncode == 0, done.stderr
    assert "no prediction: the costs of its tasks were not measured" in done.stdout


def test_a_summary_without_a_prediction_names_the_missing_costs(call, tmp_path):
    header, made = batches(specification(warmup=0))
    costs = {"forward_ms": [1, 2, 3], "backward_ms": 1, "step_ms": 1, "transfer_ms": 1, "rows": 8}
    file = RecordingFile(tmp_path / "run.arrow", header)
    for batch in (batch_of([Note(Record.LOG, COSTS_LEVEL, 0, text=json.dumps(costs))]), *made):
        file.write(batch)
    file.close()
    done = call("summary run.arrow")
    assert done.returncode == 0 and json.loads(done.stdout)["prediction"] is None
    wanted = "note: run.arrow has no prediction: forward_ms has 3 entries, but the plan has 2 stage"
    assert done.stderr.startswith(wanted)


def test_a_folder_of_other_ranks_has_a_summary_without_a_strategy_or_a_loss(call, tmp_path):
    two_ranks = PROJECT_ROOT / "tests" / "data" / "two-ranks"
    done = call(f"summary {two_ranks}")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert values["strategy"] is None and values["prediction"] is None
    # Of three steps the first one is warm-up.
    assert [step["loss"] for step in values["steps"]] == [None] * 2
    assert all(
        {lane["device"] for lane in step["lanes"]} == {"rank 0", "rank 1"}
        for step in values["steps"]
    )


def test_ddp_shares_the_global_batch_among_its_ranks(call, tmp_path):
    done = call(
        "run --strategy ddp --model tutorial --devices 3xcpu --batch 99 --steps 2",
        "--verify --summary run.json",
    )
    assert done.returncode == 0, done.stderr
    values = json.loads((tmp_path / "run.json").read_text())
    assert values["splits"] == [[33, 33, 33]] * 2
    assert values["gradient_error"] <= 1e-5
    names = [lane["name"] for lane in values["steps"][0]["lanes"]]
    # Gloo runs two collectives of a rank at once: the second lane has what ran beside another.
    tracks = ("", " comm", " comm 2")
    assert names == [f"cpu:{i}{track}" for track in tracks for i in range(3)]
    assert all(lane["spans"] for lane in values["steps"][0]["lanes"][:6])


def test_real_lanes_refuse_faults_in_one_line(call, tmp_path):
    done = call("run --devices 2xcpu --slow-lane 1:1.5 --jitter 0.1")
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert (
        "--slow-lane 1:1.5 --jitter 0.1: faults can only be injected into virtual lanes"
        in done.stderr
    )


def test_a_plan_is_printed_as_the_textbook_grid(call, tmp_path):
    done = call(
        "plan --strategy dp --model tutorial --devices 8xcpu --batch 30 --tasks",
    )
    assert done.returncode == 0, done.stderr
    assert "30 = 4 | 4 | 4 | 4 | 4 | 4 | 4 | 2" in done.stdout
    assert "parameter gradients" in done.stdout


def test_devices_are_listed(call, tmp_path):
    done = call("devices")
    assert done.returncode == 0 and "cores" in done.stdout


def test_the_users_own_model_is_planned_and_run(call, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import torch\n"
        "def build():\n"
        "    return torch.nn.Sequential(*(torch.nn.Linear(6, 6) for _ in range(3)))\n"
        "def batch(rows, generator):\n"
        "    return torch.randn(rows, 6, generator=generator), torch.zeros(rows, 6)\n"
        "def loss(output, target):\n"
        "    return (output - target).abs().mean()\n"
    )
    planned = call("plan --model mine.py --devices 3xcpu")
    assert planned.returncode == 0 and "168 B" in planned.stdout, planned.stderr
    done = call(
        "run --model mine.py --devices 3xcpu --batch 10 --verify --summary s.json",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "s.json").read_text())["gradient_error"] <= 1e-5


def test_a_run_that_does_not_compute_the_plain_step_fails(call, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import torch\n"
        "def build():\n"
        "    return [torch.nn.Linear(6, 6) for _ in range(2)]\n"
        "def batch(rows, generator):\n"
        "    return torch.randn(rows, 6, generator=generator), torch.zeros(rows, 6)\n"
        "def loss(output, target):\n"
        "    return (output - target).abs().sum()\n"
    )
    done = call(
        "run --strategy pipeline --microbatches 4 --model mine.py --devices 2xcpu --batch 8",
        "--steps 1 --warmup 1 --verify --summary s.json",
    )
    assert done.returncode == 2
    assert "NOT what a plain step computes: gradient error 0.75, loss error 0.75" in done.stderr
    assert "verified" not in done.stdout
    assert json.loads((tmp_path / "s.json").read_text())["gradient_error"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("run --batch 0", "--batch 0"),
        ("run --batch ten", "'ten'"),
        ("run --devices 3xcpu --stages 20", "20 stages"),
        ("run --devices 2xcpu --microbatches 9 --batch 8", "at most 8 micro-batches"),
        ("run --devices cuda:99", "no cuda:99"),
        ("run --model vgg", "'vgg'"),
        ("run --model missing.py", "'missing.py'"),
        ("run --batch 100000000000", "--batch 100000000000"),
        ("run --record nowhere/run.arrow", "nowhere"),
        ("run --image run.gif", "run.gif"),
        ("run --summary .", "a folder"),
        ("run --gradients nowhere/g.npz", "nowhere"),
        ("run --gradients g.txt", "--gradients g.txt: use a name that ends in .npz"),
        ("plan --strategy ddp --schedule gpipe", "--schedule is not for ddp"),
        ("export missing.arrow --image run.svg", "missing.arrow"),
        ("export notes.txt --image run.svg", "notes.txt"),
        ("fly", "'fly'"),
    ],
)
def test_bad_input_is_one_line_and_status_2_and_overwrites_nothing(
    tmp_path, monkeypatch, capsys, arguments, words
):
    (tmp_path / "notes.txt").write_text("not a recording")
    monkeypatch.chdir(tmp_path)
    assert status_of(arguments.split()) == 2
    told = capsys.readouterr().err
    assert words in told and told.count("\n") == 1, told
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("name", ["build", "batch"])
def test_an_own_model_without_its_functions_is_refused_by_name(call, tmp_path, name):
    (tmp_path / "mine.py").write_text(
        "import torch\n"
        "def build(): return [torch.nn.Linear(2, 2)]\n"
        "def batch(rows, generator): return torch.zeros(rows, 2), torch.zeros(rows, 2)\n"
        f"del {name}\n"
    )
    done = call("run --model mine.py")
    assert done.returncode == 2 and f"no {name}()" in done.stderr
    assert done.stderr.count("\n") == 1


@contextmanager
def killed_in_the_end(process):
    """A test that fails leaves no process, and does not wait for one."""
    try:
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("strategy", ["pipeline", "ddp"])
def test_ctrl_c_keeps_a_readable_recording_and_leaves_no_process(tmp_path, strategy):
    command = "run --model mlp --width 64 --devices 2xcpu --steps 100000 --record run.arrow"
    process = subprocess.Popen(
        [*MAIN, *command.split(), "--strategy", strategy],
        cwd=tmp_path,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process, killed_in_the_end(process):
        deadline = time.monotonic() + 60
        while (
            not (tmp_path / "run.arrow").exists()
            or not open_recording(tmp_path / "run.arrow").trace.span_count
        ):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the whole group
        assert process.wait(20) == 130
    opened = open_recording(tmp_path / "run.arrow")
    assert opened.trace.span_count > 0
    # Ranks are stopped one after the other: what they were at is all that may be incomplete.
    last = int(opened.trace.step_table.numbers[-1])
    assert all(fault.step >= last - 1 for fault in run_faults(opened.trace))
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
