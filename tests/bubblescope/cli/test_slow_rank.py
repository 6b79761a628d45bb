"""Ranks of PyTorch's profiler, of which one is slow: `summary` names it, also for a range."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bubblescope.cli.start import run_arguments
from tests.core.recording.importers.kineto_ranks import EXCHANGE, SEND_RECV, RankFile

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
RANKS = 4
STEPS = 6


def write_ranks(
    folder: Path, way: str, computes: np.ndarray, late: int | None = None, move: float = 200
) -> None:
    """Write ranks that compute for `computes` µs, shape (STEPS, RANKS), and then communicate.

    They reduce, or exchange data with their neighbours in a ring, whose kernels name the ranks or
    do not: `way` is reduce, ring or unnamed. If it is sends, the kernels name only the rank to
    which they send. A host that is `late` launches 2 ms late.
    """
    files = [RankFile(rank) for rank in range(RANKS)]
    now = np.zeros(RANKS)
    for step in range(STEPS):
        began = now.copy()
        if late is not None:
            now[late] += 2000
        for rank, file in enumerate(files):
            for _ in range(5):
                taken = computes[step, rank] / 5
                file.kernel("sgemm", now[rank], now[rank] + 2, taken - 2)
                now[rank] += taken
        arrived = now.copy()
        for rank, file in enumerate(files):
            neighbours = [(rank - 1) % RANKS, (rank + 1) % RANKS]
            met = range(RANKS) if way == "reduce" else [rank, *neighbours]
            now[rank] = arrived[list(met)].max() + move
            at = arrived[rank]
            length = now[rank] - at
            if way == "reduce":
                group = {"Collective name": "allreduce", "Process Group Name": "0"}
                file.kernel(ALL_REDUCE, at - 3, at, length, EXCHANGE, **group)
            elif way == "ring":
                file.exchange(at - 3, at, length, neighbours[1:], neighbours[:1])
            elif way == "sends":
                file.transfer(neighbours[1], at - 3, at, length, sends=True)
            else:
                file.kernel(SEND_RECV, at - 3, at, length, EXCHANGE)
            file.step(step, began[rank], now[rank] - began[rank])
    for rank, file in enumerate(files):
        (folder / f"rank{rank}.json").write_text(json.dumps(file.written(RANKS)))


def text_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run_arguments(["summary", *words]) == 0
    text: str = json.loads(capsys.readouterr().out)["verdict"]["text"]
    return text


@pytest.mark.parametrize("part", [[], ["--range=4ms:20ms"], ["--whole"]], ids=" ".join)
@pytest.mark.parametrize("way", ["reduce", "ring", "unnamed"])
def test_a_rank_that_computes_longer_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], way: str, part: list[str]
) -> None:
    computes = np.full((STEPS, RANKS), 2000.0)
    computes[:, 2] *= 1.5
    write_ranks(tmp_path, way, computes)
    text = text_of(capsys, *part, str(tmp_path))
    assert "Imbalance: rank 2 computes for " in text
    assert "Exposed communication takes " in text


@pytest.mark.parametrize("part", [[], ["--range=4ms:20ms"]], ids=" ".join)
def test_a_rank_whose_host_is_late_is_the_one_that_others_wait_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], part: list[str]
) -> None:
    write_ranks(tmp_path, "reduce", np.full((STEPS, RANKS), 2000.0), late=1)
    text = text_of(capsys, *part, str(tmp_path))
    assert text.endswith("When ranks wait for other ranks, it is mostly for rank 1.")


def test_without_the_receives_it_is_not_known_who_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_ranks(tmp_path, "sends", np.full((STEPS, RANKS), 2000.0), late=1)
    text = text_of(capsys, "--range=4ms:20ms", str(tmp_path))
    assert "so it is not known whether they wait for one of them." in text


@pytest.mark.parametrize("way", ["reduce", "ring"])
def test_no_rank_is_named_if_another_one_is_last_in_each_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    computes = np.full((STEPS, RANKS), 2000.0)
    # Rank 0 is last twice, so that it computes longest in total.
    for step, rank in enumerate([0, 1, 2, 3, 0, 1]):
        computes[step, rank] = 3000 + 300 * (rank == 0)
    write_ranks(tmp_path, way, computes)
    text = text_of(capsys, str(tmp_path))
    assert "Exposed communication costs " in text and "rank" not in text


def test_no_rank_is_named_if_data_moves_for_most_of_the_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_ranks(tmp_path, "reduce", np.full((STEPS, RANKS), 2000.0), move=1500)
    text = text_of(capsys, "--range=4ms:20ms", str(tmp_path))
    assert "Exposed communication costs " in text and "rank" not in text
