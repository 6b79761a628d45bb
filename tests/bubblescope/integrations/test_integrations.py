"""Trainers of other packages, with the real ones: same losses, whole steps, and true causes."""

import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

import bubblescope as bs
from core.paths import PROJECT_ROOT

pytest.importorskip("torch")
HERE = Path(__file__).parent
STEPS, SLEEP_MS = 8, 100


@dataclass
class Trained:
    """The losses of each training of a script, and its folder of recordings."""

    losses: dict[str, list[float]]
    folder: Path

    def run(self, name: str) -> bs.Run:
        return bs.open(self.folder / name)


def _trained(script: str, package: str, folder: Path, launcher: Sequence[str] = ()) -> Trained:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    done = subprocess.run(
        [sys.executable, *launcher, str(HERE / script), str(folder)],
        env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "the recording has ended" not in done.stdout
    return Trained(json.loads((folder / "losses.json").read_text()), folder)


SCRIPTS = {
    "transformers": "train_hf.py",
    "lightning": "train_lightning.py",
    "accelerate": "train_accelerate.py",
}


@pytest.fixture(scope="module", params=SCRIPTS)
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """All trainings with one of the packages."""
    script = SCRIPTS[request.param]
    return _trained(script, request.param, tmp_path_factory.mktemp("trained"))


pytestmark = pytest.mark.timeout(700)


def test_losses_are_the_same_with_and_without(trained: Trained) -> None:
    losses = trained.losses
    assert len(losses["plain"]) == STEPS and losses["recorded"] == losses["plain"]
    assert losses["mixed"] == losses["plain-mixed"]
    assert losses.get("two") == losses.get("plain-two")


def test_every_step_is_recorded_whole(trained: Trained) -> None:
    for name in trained.losses:
        if name.startswith("plain"):
            continue
        run = trained.run(name)
        assert run.warning == ""
        # The first step is cold; others may be warm-up too.
        steps = 4 if name == "mixed" and (trained.folder / "script").exists() else STEPS
        recorded = set(run.spans().column("step").to_pylist())
        assert recorded == set(range(steps)), name


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("loader", "next batch of data costs"),
        ("script", "Host code outside|code between the forward and the backward pass"),
    ],
)
def test_the_verdict_names_time_outside_the_model(trained: Trained, place: str, words: str) -> None:
    if place not in trained.losses:
        pytest.skip("this trainer computes the loss in the model")
    run = trained.run(place)
    assert run.step_ms > SLEEP_MS
    assert run.verdict is not None and re.search(words, str(run.verdict.text))


@pytest.mark.parametrize("kind", ["forward", "backward"])
def test_a_slow_pass_is_the_pass_of_its_block(trained: Trained, kind: str) -> None:
    run = trained.run(kind)
    spans = [row for row in run.spans().to_pylist() if row["step"] == run.median.step]
    longest = max(spans, key=lambda row: row["duration_ns"])
    # Children of nn.Sequential are "Block 2", those of other containers "layers.2".
    assert (longest["kind"], re.split(r"[ .]", longest["name"])[-1]) == (kind, "2")
    assert longest["duration_ns"] > SLEEP_MS * 1e6


# The trainers save after every second step.
@pytest.mark.parametrize(("place", "times"), [("evaluation", STEPS), ("checkpoint", STEPS // 2)])
def test_evaluations_and_checkpoints_are_no_part_of_a_step(
    trained: Trained, place: str, times: int
) -> None:
    run = trained.run(place)
    outside_ms = run.trace.counter("outside_ms", 0).arrays["values"]
    # What follows the last step belongs to no step.
    assert (outside_ms > SLEEP_MS).sum() >= times - 2
    assert statistics.median(step.makespan_ns for step in run.steps) < SLEEP_MS * 1e6
    kinds = {row["kind"] for row in run.spans().to_pylist()}
    assert kinds <= {"forward", "loss", "backward", "step", "data"}


def test_accumulation_is_micro_batches_of_one_step(trained: Trained) -> None:
    spans = trained.run("mixed").spans().to_pylist()
    passes = [row for row in spans if row["kind"] == "forward" and row["step"] == 3]
    assert {row["microbatch"] for row in passes} == {0, 1}
    updates = [row for row in spans if row["kind"] == "step" and row["step"] == 3]
    assert len(updates) == 1


def test_several_optimizers_update_in_one_step(trained: Trained) -> None:
    if "two" not in trained.losses:
        pytest.skip("this trainer has one optimizer")
    spans = trained.run("two").spans().to_pylist()
    for step in range(1, STEPS):
        updates = [row for row in spans if row["kind"] == "step" and row["step"] == step]
        assert len(updates) == 2


TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")


def test_a_slow_rank_under_lightning_is_named_with_its_block(tmp_path: Path) -> None:
    trained = _trained("train_lightning_ranks.py", "lightning", tmp_path, TORCHRUN)
    run = trained.run("ranks")
    assert run.warning == "" and run.verdict is not None
    assert "Rank 1 is a straggler: the forward pass of block body.2" in str(run.verdict.text)
