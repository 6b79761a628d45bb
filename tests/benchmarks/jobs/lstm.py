"""A language model by LSTM whose state goes on from batch to batch, cut from its history."""

import torch
from harness import finish, host, probe, recording, stamped, start, tokens, told
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.drop = nn.Embedding(100, 96), nn.Dropout(0.2)
        self.lstm = nn.LSTM(96, 96, 2, batch_first=True, dropout=0.2)
        self.mix, self.head = nn.Linear(96, 96), nn.Linear(96, 100)

    def forward(self, text, state):
        x, state = self.lstm(self.drop(self.words(text)), state)
        return self.head(self.mix(x)), state


start()
model = probe(Model(), "lstm")
wrapped = DistributedDataParallel(model)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.5)
state = torch.zeros(2, 4, 96), torch.zeros(2, 4, 96)
with recording(wrapped, optimizer):
    for text, target in tokens():
        state = tuple(one.detach() for one in state)
        optimizer.zero_grad()
        found, state = wrapped(text, state)
        loss = nn.functional.cross_entropy(found.flatten(0, 1), target.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
