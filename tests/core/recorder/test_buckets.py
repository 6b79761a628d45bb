"""Gradients that DistributedDataParallel reduces are the same with a recording and without."""

import json

import pytest

from core.recording.recording import open_recording

pytest.importorskip("torch")

JOB = """
import contextlib, json, sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from bubblescope import record

dist.init_process_group("gloo")
rank = dist.get_rank()

class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 8, sparse=True)
        self.head = nn.Linear(8, 1)

    def forward(self, words):
        return self.head(self.table(words))

def batch(model):
    if isinstance(model.module, Words):
        return torch.randint(50, (4, 3))
    return torch.randn(4, 8)

def train(model, optimizer, steps, keeps, seen):
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=not keeps)
        model(batch(model)).square().mean().backward()
        for parameter in model.parameters():
            gradient = parameter.grad
            seen.append(gradient.coalesce().values() if gradient.is_sparse else gradient.clone())
        optimizer.step()

def job(folder, view=False, keeps=False, words=False, joins=None, before=0):
    torch.manual_seed(0)
    inner = Words() if words else nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    model = DistributedDataParallel(inner, gradient_as_bucket_view=view)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    torch.manual_seed(rank + 1)
    seen = []
    with record(model, optimizer, folder) if folder else contextlib.nullcontext():
        train(model, optimizer, before, keeps, seen)
        if joins is None:
            train(model, optimizer, 3, keeps, seen)
        else:
            # The last ranks have more batches.
            with model.join(divide_by_initial_world_size=joins):
                train(model, optimizer, 2 + rank, keeps, seen)
    return seen

for name, options in json.loads(sys.argv[1]).items():
    wanted = job(None, **options)
    found = job(name, **options)
    assert len(wanted) == len(found), name
    assert all(map(torch.equal, found, wanted)), name
dist.destroy_process_group()
"""


def buckets(folder):
    """The number of buckets that rank 0 reduced in its second step."""
    trace = open_recording(folder).trace
    spans = [span for span in trace if span.step == 1 and span.replica == 0]
    return sum(span.kind == "all-reduce" and span.payload != "" for span in spans)


WAYS = {
    "each step has new gradients": {},
    "gradients are kept": {"keeps": True},
    "gradients are views of the buckets": {"view": True},
    "gradients are views and kept": {"view": True, "keeps": True},
    "sparse": {"words": True},
    "some ranks have fewer batches": {"joins": True},
    "the ranks that are left divide": {"joins": False},
    "a join after the first steps": {"joins": False, "before": 2},
}


@pytest.mark.parametrize("count", [2, 3])
def test_reduced_gradients_have_the_same_bits_with_a_recording(ranks, tmp_path, count):
    (tmp_path / "train.py").write_text(JOB)
    ranks.run(tmp_path, count, "train.py", json.dumps(WAYS))
    # torch multiplies or divides by the number of ranks, which a hook cannot tell apart if
    # gradients are views of the buckets. The results differ unless it is a power of two.
    for name, options in WAYS.items():
        is_recorded = count == 2 or "view" not in options
        assert (buckets(tmp_path / name) > 0) == is_recorded, name
