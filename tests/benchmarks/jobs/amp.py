"""DistributedDataParallel with float16 autocast and a gradient scaler, which skips some updates."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

start()
model = net()
wrapped = DistributedDataParallel(model)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
with recording(wrapped, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = mse_loss(wrapped(x).float(), target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict(), scaler.state_dict())
