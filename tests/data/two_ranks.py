"""Makes tests/data/two-ranks: what torch.profiler writes of two ranks that train by DDP over gloo.

`python tests/data/two_ranks.py` makes the folder anew; the tests only read it.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

RANKS, STEPS = 2, 3
FOLDER = Path(__file__).parent / "two-ranks"


def train(rank: int, store: str, folder: str) -> None:
    """Train a small model; the profiler writes its own trace."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 8))
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    planned = torch.profiler.schedule(wait=0, warmup=1, active=STEPS, repeat=1)
    with torch.profiler.profile(schedule=planned) as profiler:
        for _ in range(1 + STEPS):
            model(torch.randn(32, 64)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    path = Path(folder) / f"rank-{rank}.json"
    profiler.export_chrome_trace(str(path))
    dist.destroy_process_group()


def main() -> None:
    """Train, and keep what was written, packed."""
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, (os.path.join(folder, "store"), folder), RANKS)
        FOLDER.mkdir(exist_ok=True)
        for path in sorted(Path(folder).glob("*.json")):
            packed = gzip.compress(path.read_bytes(), mtime=0)
            (FOLDER / f"{path.name}.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
