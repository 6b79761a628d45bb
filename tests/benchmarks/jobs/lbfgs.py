"""LBFGS, which asks for several passes in one update."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss

start()
model = net()
optimizer = stamped(torch.optim.LBFGS)(model.parameters(), lr=0.1, max_iter=3)
with recording(model, optimizer):
    for x, target in batches():

        def closure(x=x, target=target):
            optimizer.zero_grad()
            loss = mse_loss(model(x), target)
            loss.backward()
            return loss

        told(optimizer.step(closure))
        host()
finish(model, model.state_dict(), optimizer.state_dict())
