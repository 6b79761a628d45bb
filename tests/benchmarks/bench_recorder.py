"""Cost of recording a step whose blocks take 2 ms, next to torch.profiler on the same step.

Steps with and without alternate, so that what else the machine does meets both; the medians of the
paired differences are told.
"""

import time
from statistics import median

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from bubblescope import record  # noqa: E402

BLOCKS, BLOCK_SECONDS, PAIRS = 8, 0.002, 40


class Block(nn.Module):
    """Takes 2 ms forward, and about as long backward."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 256)

    def forward(self, x):
        return Slow.apply(self.linear(x))


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        burn()
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        burn()
        return gradient


def burn():
    end = time.perf_counter() + BLOCK_SECONDS
    while time.perf_counter() < end:
        _X.mm(_X)


_X = torch.randn(64, 64)


def step(model, optimizer):
    begun = time.perf_counter()
    optimizer.zero_grad()
    model(torch.ones(8, 256)).sum().backward()
    optimizer.step()
    return time.perf_counter() - begun


def paired(with_it):
    """The median of what steps take longer with it, and of what they take, in seconds."""
    torch.manual_seed(0)
    models = [nn.Sequential(*(Block() for _ in range(BLOCKS))) for _ in range(2)]
    plain, seen = [(model, torch.optim.SGD(model.parameters(), lr=0.01)) for model in models]
    more, alone = [], []
    with with_it(*seen) as each:
        for turn in range(PAIRS):
            took = {}
            for one in (plain, seen) if turn % 2 else (seen, plain):
                with each() if one is seen else nothing():
                    took[one is seen] = step(*one)
            more.append(took[True] - took[False])
            alone.append(took[False])
    print(f"\nmean of the differences: {1e6 * sum(more[2:]) / len(more[2:]):+.0f} us")
    return median(more[2:]), median(alone[2:])


class nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __call__(self):
        return self


class recording(nothing):
    def __init__(self, model, optimizer, folder):
        self.record = record(model, optimizer, folder)

    def __enter__(self):
        self.record.__enter__()
        return nothing()

    def __exit__(self, *error):
        self.record.__exit__(None, None, None)


class profiling(nothing):
    def __init__(self, *_):
        pass

    def __enter__(self):
        return lambda: torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])


def test_recording_costs_at_most_one_percent_of_a_step(tmp_path):
    more, alone = paired(lambda *seen: recording(*seen, tmp_path))
    profiled, whole = paired(profiling)
    print(
        f"\nstep {1e3 * alone:.2f} ms, recorded {1e6 * more:+.0f} us ({100 * more / alone:.2f} %)"
    )
    print(f"step {1e3 * whole:.2f} ms, profiled {1e6 * profiled:+.0f} us "
          f"({100 * profiled / whole:.2f} %)")  # fmt: skip
    assert more <= 0.01 * alone
