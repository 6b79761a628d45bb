"""A thread loads batches ahead, and another evaluates the model meanwhile."""

import queue
import threading

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss

start()
model = net()
ahead = queue.Queue(2)


def load():
    for batch in batches():
        ahead.put(batch)
    ahead.put(None)


def evaluate(ending):
    with torch.no_grad():
        while not ending.wait(0.001):
            model(torch.ones(16, 256))


optimizer = stamped(torch.optim.SGD)(model.parameters(), lr=0.05)
ending = threading.Event()
threads = [threading.Thread(target=load), threading.Thread(target=evaluate, args=(ending,))]
with recording(model, optimizer):
    for thread in threads:
        thread.start()
    while (batch := ahead.get()) is not None:
        x, target = batch
        optimizer.zero_grad()
        loss = mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
    ending.set()
    for thread in threads:
        thread.join()
finish(model, model.state_dict(), optimizer.state_dict())
