"""torch.compile around DistributedDataParallel: the model is compiled as a whole."""

import torch
from harness import (
    batches,
    compiled_through,
    finish,
    host,
    net,
    probe,
    recording,
    stamped,
    start,
    told,
)  # fmt: skip
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

start()
model = net(is_probed=False)
probe(model, "blocks.1", "model", compiled_through())
wrapped = torch.compile(DistributedDataParallel(model), backend="eager")
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
with recording(wrapped, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(wrapped(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish(model.state_dict(), optimizer.state_dict())
