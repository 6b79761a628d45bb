"""DistributedDataParallel with a DistributedSampler, an evaluation and a checkpoint each epoch."""

import io

import torch
from harness import (
    collate,
    finish,
    host,
    probe,
    recording,
    stamped,
    start,
    told,
)  # fmt: skip
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

start()
model = nn.Sequential(
    nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Dropout(0.25),
    nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, 10),
)  # fmt: skip
probe(model, "2")
generator = torch.Generator().manual_seed(7)
images = torch.randn(128, 3, 20, 20, generator=generator)
data = TensorDataset(images, torch.randint(10, (128,), generator=generator))
sampler = DistributedSampler(data)
batches = DataLoader(data, 16, sampler=sampler, collate_fn=collate)
held_out = DataLoader(data, 32)
wrapped = DistributedDataParallel(model)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05, momentum=0.9)
with recording(wrapped, optimizer):
    for epoch in range(2):
        sampler.set_epoch(epoch)
        wrapped.train()
        for x, target in batches:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(wrapped(x), target)
            loss.backward()
            optimizer.step()
            told(loss)
            host()
        wrapped.eval()
        with torch.no_grad():
            for x, target in held_out:
                told(nn.functional.cross_entropy(wrapped(x), target))
        torch.save(model.state_dict(), io.BytesIO())
finish(model, model.state_dict(), optimizer.state_dict())
