"""Many small buckets, whose memory the gradients are views of."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

start()
model = net()
wrapped = DistributedDataParallel(model, bucket_cap_mb=0.3, gradient_as_bucket_view=True)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
with recording(wrapped, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(wrapped(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
