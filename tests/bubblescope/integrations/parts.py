"""Model, data and slow places that the scripts of the trainers share."""

import json
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import Dataset

STEPS, ROWS, WIDTH = 8, 8, 64
torch.set_num_threads(1)  # threads that wait for a core would take longer than the sleep
SLEEP_SECONDS = 0.1
OUT = Path(sys.argv[1])


class Slow:
    """The place that sleeps in each step."""

    place = ""


def sleep_in(place: str) -> None:
    """Sleep, if this is the slow place."""
    if Slow.place == place:
        time.sleep(SLEEP_SECONDS)


class _Pass(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        sleep_in("forward")
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        sleep_in("backward")
        return gradient


class Block(nn.Module):
    """A residual block, whose passes sleep if it is probed."""

    def __init__(self, is_probed=False):
        super().__init__()
        self.inner, self.is_probed = nn.Linear(WIDTH, WIDTH), is_probed

    def forward(self, x):
        if self.is_probed:
            x = _Pass.apply(x)
        return x + torch.relu(self.inner(x))


class Rows(Dataset):
    """Rows to classify."""

    def __init__(self, count):
        generator = torch.Generator().manual_seed(7)
        self.x = torch.randn(count, WIDTH, generator=generator)
        self.y = torch.randint(4, (count,), generator=generator)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


def blocks():
    """Return four blocks and a head, the same ones each time."""
    torch.manual_seed(1)
    return [*(Block(is_probed=number == 2) for number in range(4)), nn.Linear(WIDTH, 4)]


def report(losses: dict[str, list[float]]) -> None:
    """Write the losses of each training."""
    (OUT / "losses.json").write_text(json.dumps(losses))
