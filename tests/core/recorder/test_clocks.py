"""The ranks compare their clocks, and a rank does not wait for ranks that do not train."""

import json

import pyarrow as pa
import pytest

pytest.importorskip("torch")

JOB = """
import json, sys, time
from datetime import timedelta
import torch
import torch.distributed as dist
from torch import nn

from bubblescope import record

dist.init_process_group("gloo", timeout=timedelta(seconds=10))
rank = dist.get_rank()
trains = rank in json.loads(sys.argv[1])
late = len(sys.argv) > 2 and int(sys.argv[2]) == rank
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with record(model, optimizer, "runs"):
    for _ in range(3):
        if trains:
            if late:
                time.sleep(3)
                late = False
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
        else:
            with torch.no_grad():
                model(torch.ones(2, 4))
        dist.barrier()
    began = time.monotonic()
print(time.monotonic() - began)
dist.destroy_process_group()
"""


def clock_rows(file):
    with pa.ipc.open_stream(file) as stream:
        return stream.read_all()["record"].to_pylist().count("clock")


def seconds_at_the_end(folder, ranks):
    """Return the time that each rank needed to end its recording, in s."""
    return [
        float((folder / f"printed-{rank}.txt").read_text().split()[-1]) for rank in range(ranks)
    ]


@pytest.mark.parametrize("training", [[0], [1], [1, 2]], ids=str)
def test_a_rank_does_not_wait_for_ranks_that_only_evaluate(ranks, tmp_path, training):
    (tmp_path / "train.py").write_text(JOB)
    # The barrier of a rank that waits for 10 s fails.
    ranks.run(tmp_path, 3, "train.py", json.dumps(training))
    assert max(seconds_at_the_end(tmp_path, 3)) < 5


@pytest.mark.parametrize("late", [0, 1])
def test_a_rank_that_begins_late_and_the_others_do_not_wait_for_each_other(ranks, tmp_path, late):
    (tmp_path / "train.py").write_text(JOB)
    ranks.run(tmp_path, 2, "train.py", "[0, 1]", str(late))
    assert max(seconds_at_the_end(tmp_path, 2)) < 5
    compared = [clock_rows(tmp_path / "runs" / f"rank-{rank}.arrow") for rank in range(2)]
    assert compared == [2, 0]


def test_ranks_that_train_compare_their_clocks_where_another_one_does_not(ranks, tmp_path):
    (tmp_path / "train.py").write_text(JOB)
    ranks.run(tmp_path, 3, "train.py", "[0, 2]")
    compared = [clock_rows(tmp_path / "runs" / f"rank-{rank}.arrow") for rank in range(3)]
    # At the beginning and at the end.
    assert compared == [2, 0, 2]
