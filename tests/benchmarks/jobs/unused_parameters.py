"""A branch of the model that only some steps use."""

import torch
from harness import WIDTH, Block, batches, finish, host, probe, recording, stamped, start, told
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(4))
        self.extra, self.head = Block(), nn.Linear(WIDTH, 10)

    def forward(self, x, is_extra):
        for block in self.blocks:
            x = block(x)
        return self.head(self.extra(x) if is_extra else x)


start()
model = probe(Model(), "blocks.1")
wrapped = DistributedDataParallel(model, find_unused_parameters=True)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
with recording(wrapped, optimizer):
    for number, (x, target) in enumerate(batches()):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(wrapped(x, number % 2 == 0), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
