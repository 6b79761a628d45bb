"""Sparse gradients of an embedding in DistributedDataParallel, with an optimizer of their own."""

import torch
from harness import Block, finish, host, probe, recording, stamped, start, tokens, told
from torch import nn
from torch.nn.parallel import DistributedDataParallel

start()
model = nn.Sequential(
    nn.Embedding(100, 128, sparse=True), *(Block(128) for _ in range(4)), nn.Linear(128, 100)
)
probe(model, "2")
wrapped = DistributedDataParallel(model)
rest = stamped(torch.optim.Adam)(model[1:].parameters(), lr=1e-3)
sparse = stamped(torch.optim.SparseAdam, ends_steps=False)(model[0].parameters(), lr=1e-3)
with recording(wrapped, rest):
    for text, target in tokens():
        rest.zero_grad()
        sparse.zero_grad()
        loss = nn.functional.cross_entropy(wrapped(text).flatten(0, 1), target.flatten())
        loss.backward()
        sparse.step()
        rest.step()
        told(loss)
        host()
finish(model, rest.state_dict(), sparse.state_dict())
