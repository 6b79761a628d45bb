"""Two replicas of a pipeline of two stages: torch.distributed.pipelining inside DDP."""

import torch
from harness import (
    RANK,
    WIDTH,
    Block,
    batches,
    finish,
    host,
    probe,
    recording,
    stamped,
    start,
    told,
)
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.nn.parallel import DistributedDataParallel

start()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicas", "stages"))
replica, stage = divmod(RANK, 2)
whole = nn.Sequential(*(Block() for _ in range(6)))
part = probe(whole[3 * stage : 3 * stage + 3], "", None)
wrapped = DistributedDataParallel(part, process_group=mesh["replicas"].get_group())
piped = PipelineStage(wrapped, stage, 2, torch.device("cpu"), group=mesh["stages"].get_group())
schedule = Schedule1F1B(piped, 4, loss_fn=nn.functional.mse_loss)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
with recording(wrapped, optimizer):
    for x, _ in batches(rows=32):
        optimizer.zero_grad()
        losses = []
        if stage == 0:
            schedule.step(x)
        else:
            schedule.step(target=torch.ones(32, WIDTH), losses=losses)
        optimizer.step()
        for loss in losses:
            told(loss)
        host()
finish(part.state_dict(), optimizer.state_dict())
