"""A model whose head uses the weights of its embedding, in DistributedDataParallel."""

import torch
from harness import Block, finish, host, probe, recording, stamped, start, tokens, told
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 128)
        self.body = nn.Sequential(*(Block(128) for _ in range(4)))
        self.head = nn.Linear(128, 100, bias=False)
        self.head.weight = self.words.weight

    def forward(self, text):
        return self.head(self.body(self.words(text)))


start()
model = probe(Model(), "body.1")
wrapped = DistributedDataParallel(model)
optimizer = stamped(torch.optim.Adam)(wrapped.parameters(), lr=1e-3)
with recording(wrapped, optimizer):
    for text, target in tokens():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(wrapped(text).flatten(0, 1), target.flatten())
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
