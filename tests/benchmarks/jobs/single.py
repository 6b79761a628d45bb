"""A plain loop of one process, with a schedule of the learning rate."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss

start()
model = net()
optimizer = stamped(torch.optim.AdamW)(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 8)
with recording(model, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        schedule.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
