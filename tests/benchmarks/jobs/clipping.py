"""Clipping by norm and by value between backward and update, and an average of the weights."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim.swa_utils import AveragedModel

start()
model = net()
average = AveragedModel(model)
wrapped = DistributedDataParallel(model)
optimizer = stamped(torch.optim.RMSprop)(wrapped.parameters(), lr=1e-3)
with recording(wrapped, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(wrapped(x), target)
        loss.backward()
        told(nn.utils.clip_grad_norm_(wrapped.parameters(), 1.0))
        nn.utils.clip_grad_value_(wrapped.parameters(), 0.1)
        optimizer.step()
        average.update_parameters(model)
        told(loss)
        host()
finish(model, average.state_dict(), optimizer.state_dict())
