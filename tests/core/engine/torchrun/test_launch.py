"""The app's own strategies under torchrun: what is refused, one job that runs, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from bubblescope.api.running import describe_model
from bubblescope.cli.start import run_arguments
from core.engine.messages import Ended, Outcome
from core.engine.torchrun import launch
from core.engine.torchrun.launch import reason_of
from core.errors import PlanError
from core.machine import host_hardware
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.launching import LAUNCHED, TORCH_SCHEDULES, Hosts, check_launch, check_plans
from core.plan.planning import lanes_of, plans_of
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, with_defaults
from core.plan.strategies import STRATEGIES
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.trace.verified import verified

JOB = Specification("ddp", ModelSettings("mlp"), "4xcpu")


def refused(job=JOB, hosts=None, out=""):
    with pytest.raises(PlanError) as error:
        check_launch(job, lanes_of(job, host_hardware(), present=False), hosts or Hosts(), out)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"strategy": "dp"}, "--strategy dp: --launcher torchrun runs ddp, fsdp and pipeline"),
        ({"strategy": "pipeline", "schedule": "zb-h1"}, "--schedule zb-h1: "),
        ({"devices": "4xvirtual"}, "is for real lanes, such as 2xcpu"),
        ({"warmup": 0}, "--warmup 0: "),
        ({"gradients": "x.npz"}, "--gradients x.npz: "),
        ({"slow_lane": "1:2"}, "faults can only be injected into virtual lanes"),
    ],
)
def test_features_that_torchs_engine_lacks_are_refused_by_name(values, words):
    assert words in refused(JOB.having(**values))


@pytest.mark.parametrize(
    ("hosts", "out", "words"),
    [
        (Hosts(3, 0, "a:1"), "runs", "--nnodes 3: use a number of hosts that divides 4 lanes"),
        (Hosts(0), "runs", "--nnodes 0: "),
        (Hosts(2, 2, "a:1"), "runs", "--node-rank 2: use 0 to 1"),
        (Hosts(2, 1, "a"), "runs", "--rdzv-endpoint 'a': use HOST:PORT of node 0"),
        (Hosts(endpoint="foo"), "", "--rdzv-endpoint 'foo': use HOST:PORT of node 0"),
        (Hosts(2, 1, "a:1"), "", "--record: several hosts need a FOLDER"),
    ],
)
def test_hosts_that_cannot_be_are_refused(hosts, out, words):
    assert words in refused(hosts=hosts, out=out)


def plans(job):
    lanes = lanes_of(job, host_hardware(), present=False)
    return plans_of(job, describe_model(job), lanes).values()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"batch": 7}, "micro-batches of 1 and 2 rows: "),
        ({"batch": 8, "data": 20}, "micro-batches of 1 and 2 rows: "),  # in the epoch's last batch
        ({"batch": 8, "split_size": 3, "microbatches": None}, "micro-batches of 2 and 3 rows: "),
    ],
)
def test_micro_batches_of_several_sizes_are_refused_for_torchs_schedules(values, words):
    job = with_defaults(JOB.having(**{"strategy": "pipeline", "microbatches": 4, **values}))
    with pytest.raises(PlanError, match=words):
        check_plans(with_defaults(job), plans(job))
    check_plans(with_defaults(job.having(strategy="ddp")), plans(job))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--devices 2xcpu --batch 8 --data 20", "steps of 4 and 8 micro-batches: "),
        ("--devices 2xcpu --batch 16 --split-size 4 --data 40", "steps of 2 and 4 micro-batches: "),
    ],
)
def test_a_last_step_of_fewer_micro_batches_is_refused_before_the_start(words, told, capsys):
    asked = ["run", "--launcher", "torchrun", "--strategy", "pipeline", *words.split()]
    assert run_arguments(asked) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("gpipe --stages 4 --devices 2xcpu", "4 stages on 2 lanes: .* gpipe with 2 stages"),
        ("1f1b --stages 2 --devices 4xcpu", "2 stages on 4 lanes: .* 1f1b with 4 stages"),
        ("gpipe --borders 1,2,3 --devices 2xcpu", "4 stages on 2 lanes: .* gpipe with 2 stages"),
        ("interleaved --stages 2 --devices 2xcpu", "2 stages on 2 lanes: .* with 4 stages"),
    ],
)
def test_another_number_of_stages_than_the_lanes_hold_is_refused_before_the_start(
    words, told, capsys
):
    asked = ["run", "--launcher", "torchrun", "--strategy", "pipeline", "--depth", "8"]
    assert run_arguments([*asked, "--schedule", *words.split()]) == 2
    said = capsys.readouterr().err
    assert re.search(told, said) and said.count("\n") == 1


def test_the_usual_number_of_stages_may_be_given():
    for name in TORCH_SCHEDULES:
        count = SCHEDULES[name].stage_count(2, SCHEDULES[name].chunks)
        model = ModelSettings("mlp", depth=8)
        job = Specification("pipeline", model, "2xcpu", schedule=name, batch=8, stages=count)
        check_plans(with_defaults(job), plans(job))


def test_every_strategy_and_schedule_that_is_offered_has_an_engine():
    pytest.importorskip("torch")
    from torch.distributed.pipelining import schedules

    from core.engine.torchrun.engines import ENGINES

    assert {STRATEGIES[name].torch_engine for name in LAUNCHED} == set(ENGINES)
    assert len(TORCH_SCHEDULES) == 7
    assert all(hasattr(schedules, SCHEDULES[name].torch_name) for name in TORCH_SCHEDULES)


OWN_MODEL = """
import torch

def build():
    return [torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)]

def batch(rows, generator):
    return torch.randn(rows, 8, generator=generator), torch.zeros(rows, 8)
"""


def test_micro_batches_of_several_sizes_of_a_users_own_model_are_refused_in_the_ranks(tmp_path):
    pytest.importorskip("torch")
    from core.engine.torchrun.launch import LaunchSettings
    from core.engine.torchrun.rank import LaunchedRank

    path = tmp_path / "own.py"
    path.write_text(OWN_MODEL)
    job = JOB.having(
        strategy="pipeline",
        model=ModelSettings(str(path)),
        devices="2xcpu",
        batch=7,
        microbatches=4,
    )
    with pytest.raises(PlanError, match="micro-batches of 1 and 2 rows: "):
        LaunchedRank(LaunchSettings(job, "", "", 1))


REPORT = """E1123 failed (exitcode: -9)
Failures:
[1]:
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 11)
Root Cause (first observed failure):
[0]:
  time      : now
  rank      : 1 (local_rank: 1)
  exitcode  : {} (pid: 12)
"""


LOST = "bubblescope: rank 0: RuntimeError: Connection closed by peer\n"


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("W noise\nbubblescope: rank 1: no room\n" + REPORT, "rank 1: no room"),
        (
            REPORT.format(-9),
            "rank 1 (process 12) was ended by SIGKILL; it may have run out of memory",
        ),
        (LOST + REPORT.format(-11), "rank 1 (process 12) was ended by SIGSEGV"),
        (LOST + "bubblescope: rank 1: no room\n" + REPORT.format(1), "rank 1: no room"),
        (LOST, "rank 0: RuntimeError: Connection closed by peer"),
        (LOST.replace("0", "1") + REPORT.format(1), LOST[13:-1].replace("0", "1")),
        (REPORT.format(-15), "rank 1 (process 12) was ended by SIGTERM"),
        (REPORT.format(3), "rank 1 (process 12) ended with status 3"),
        ("what nobody knows\n\n", "torchrun ended with status 7: what nobody knows"),
        ("", "torchrun ended with status 7"),
        ("*" * 41 + "\n", "torchrun ended with status 7"),  # around a notice of torchrun's
    ],
)
def test_the_reason_of_a_jobs_failure_is_one_line(printed, words):
    assert str(reason_of(printed, 7)) == words


@pytest.mark.parametrize(
    "kept", ["not all was recorded: no room", "this process is not recorded: another one is"]
)
def test_a_line_that_says_what_is_not_recorded_is_shown(monkeypatch, capsys, kept):
    def run_torchrun(*, on_line, **options):
        for line in ("W noise\n", f"bubblescope: {kept}\n"):
            on_line(line)
        return Ended(Outcome.FINISHED)

    monkeypatch.setattr(launch, "run_torchrun", run_torchrun)
    launch.launch(JOB, [], Hosts(), "", verbose=False)
    assert capsys.readouterr().err == f"bubblescope: {kept}\n"


def test_the_signal_that_ended_torchrun_is_named():
    assert str(reason_of("some text\n", -9)) == "torchrun was ended by SIGKILL"


def command(tmp_path, *more):
    return [
        sys.executable, str(PROJECT_ROOT / "main.py"), "run", "--launcher", "torchrun", "--devices",
        "2xcpu", "--cores-per-lane", "1", "--model", "mlp", "--width", "32", "--depth", "4",
        "--batch", "32", "--warmup", "1", "--record", str(tmp_path / "runs"), *more,
    ]  # fmt: skip


def test_a_pipeline_of_torch_computes_the_plain_step_and_is_recorded(tmp_path):
    pytest.importorskip("torch")
    job = ("--strategy", "pipeline", "--schedule", "1f1b", "--microbatches", "4", "--steps", "2")
    done = subprocess.run(
        command(tmp_path, *job, "--dtype", "float64", "--verify"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pipeline 1f1b of mlp, torchrun on 2 lanes\n")
    assert "rows: [32] in 4 micro-batches of 8,8,8,8\n" in done.stdout
    assert "verified: the run computed what a plain step does" in done.stdout
    trace = open_recording(tmp_path / "runs").trace
    assert trace.steps == [0, 1, 2] and trace.outcome == "finished"
    summary = summarise(trace)
    assert [step.loss for step in summary.steps] == [
        pytest.approx(1, abs=0.5), pytest.approx(1, abs=0.5)
    ]  # fmt: skip
    assert all(step.gradient_error <= 1e-12 for step in summary.steps)
    assert verified(trace).allowed < 1e-7  # as the type of its numbers was told


def test_ctrl_c_ends_all_processes_and_keeps_the_recording(tmp_path):
    pytest.importorskip("torch")
    with subprocess.Popen(
        command(tmp_path, "--strategy", "ddp", "--steps", "5000", "--width", "1024"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    ) as process:  # fmt: skip
        file, until = tmp_path / "runs" / "rank-1.arrow", time.monotonic() + 60
        while not (file.exists() and file.stat().st_size > 1 << 13):
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and out.startswith("ddp of mlp, torchrun on 2 lanes\n")
    left = subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, text=True)
    assert left.stdout == ""


def test_a_file_that_a_listener_would_have_to_write_is_refused(capsys):
    words = ["--launcher", "torchrun", "--strategy", "ddp", "--devices", "2xcpu"]
    assert (
        run_arguments(["run", *words, "--record", "tcp://a@127.0.0.1:9", "--summary", "x.json"])
        == 2
    )
    assert "--summary x.json: not available if a listener records" in capsys.readouterr().err


def test_a_launched_run_has_the_passes_of_the_same_run_on_the_engine(engine, tmp_path):
    job = command(tmp_path, "--strategy", "ddp", "--steps", "2", "--warmup", "1")
    assert subprocess.run(job, capture_output=True, timeout=100).returncode == 0
    launched = open_recording(tmp_path / "runs").trace
    model = ModelSettings("mlp", width=32, depth=4)
    own = engine.finish(Specification("ddp", model, "2xcpu", batch=32, steps=2, warmup=1))
    assert passes_of(launched) == passes_of(own)


def passes_of(trace):
    """The passes of each rank in its last step, by their blocks, and its updates.

    A pass may have several spans: those of a job leave out the collectives of FSDP within it.
    """
    compute = {lane.index: rank for rank, lane in enumerate(trace.header.compute_lanes)}
    return {
        (compute[span.lane], str(span.kind), span.block)
        for span in trace
        if span.step == trace.steps[-1] and span.lane in compute
    }
