"""A pass that fails and is tried again with half of the batch, in forward and in backward."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch import nn
from torch.nn.functional import mse_loss


class OutOfMemory(RuntimeError):
    pass


class Picky(nn.Module):
    def forward(self, x):
        return Refused.apply(x)


class Refused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if len(x) > 24:
            raise OutOfMemory("forward")
        ctx.rows = len(x)
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        if ctx.rows > 12:
            raise OutOfMemory("backward")
        return gradient


start()
model = net()
model.blocks.append(Picky())
optimizer = stamped(torch.optim.SGD)(model.parameters(), lr=0.05)
SIZES = (32, 8, 16, 8, 8, 32, 8, 8)
with recording(model, optimizer):
    for size, (x, target) in zip(SIZES, batches(rows=32), strict=True):
        done = False
        while not done:
            optimizer.zero_grad()
            try:
                loss = mse_loss(model(x[:size]), target[:size])
                loss.backward()
                done = True
            except OutOfMemory:
                size //= 2
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
