"""An evaluation with its own loader every second step, by no_grad and by inference_mode."""

import torch
from harness import WIDTH, batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

start()
model = net()
wrapped = DistributedDataParallel(model)
held_out = DataLoader(TensorDataset(torch.ones(64, WIDTH), torch.ones(64, 10)), 16)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
with recording(wrapped, optimizer):
    for number, (x, target) in enumerate(batches()):
        model.train()
        optimizer.zero_grad()
        loss = mse_loss(wrapped(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
        if number % 2:
            model.eval()
            with torch.no_grad() if number % 4 == 1 else torch.inference_mode():
                for x, target in held_out:
                    told(mse_loss(model(x), target))
finish(model, model.state_dict(), optimizer.state_dict())
