"""Cost of a backward in two parts, relative to the full backward, on one core."""

import ctypes
import time
from statistics import median

import pytest
import torch
from torch import nn

from bubblescope.cli.report import table
from core.engine.models.modules import build_blocks
from core.engine.models.split_backward import stage_backward_input, stage_backward_weight
from core.models.catalogue import ModelSettings

MODEL = ModelSettings("mlp", width=768, depth=8)
ROWS = 256
PAIRS = 100
WARM_UP = 10
LIMIT = 1.1
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3  # malloc.h


@pytest.fixture
def one_core():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def kept_memory():
    """Let malloc keep what is freed.

    Alone, each backward would begin with its memory given back to the system, and pay for getting
    it anew; in a run other micro-batches have just freed theirs.
    """
    malloc = getattr(ctypes.CDLL(None), "mallopt", None)
    if malloc is not None:  # glibc's
        malloc(M_TRIM_THRESHOLD, 2**30)
        malloc(M_MMAP_THRESHOLD, 2**25)
        malloc(M_TOP_PAD, 2**27)


class Stage:
    """The whole model as a stage that is not the first: its input has a gradient."""

    def __init__(self):
        torch.manual_seed(0)
        self.blocks = nn.Sequential(*build_blocks(MODEL))
        self.gradient = torch.randn(ROWS, MODEL.width)

    def forward(self):
        x = torch.randn(ROWS, MODEL.width, requires_grad=True)
        return x, self.blocks(x)

    def whole(self):
        """ns of the full backward."""
        _, y = self.forward()
        began = time.perf_counter_ns()
        y.backward(self.gradient)
        return time.perf_counter_ns() - began

    def parts(self):
        """ns of the backward for the input, and of that for the weights."""
        x, y = self.forward()
        began = time.perf_counter_ns()
        _, rest = stage_backward_input([y], [self.gradient], [x])
        between = time.perf_counter_ns()
        stage_backward_weight(rest)
        return between - began, time.perf_counter_ns() - between


def test_both_parts_cost_at_most_a_tenth_more_than_the_full_backward(one_core, kept_memory):
    stage = Stage()
    times = []
    for index in range(WARM_UP + PAIRS):
        if index % 2:
            full, parts = stage.whole(), stage.parts()
        else:
            parts, full = stage.parts(), stage.whole()
        times.append((full, *parts))
    full, first, second = zip(*times[WARM_UP:], strict=True)
    both = [a + b for a, b in zip(first, second, strict=True)]
    ratio = median(both) / median(full)
    rows = [("full backward", full), ("backward-input", first), ("backward-weight", second),
            ("both parts", both)]  # fmt: skip
    print("\n" + table(
        ("pass", "median ms", "shortest", "longest"),
        [(name, f"{median(ns) / 1e6:.2f}", f"{min(ns) / 1e6:.2f}", f"{max(ns) / 1e6:.2f}")
         for name, ns in rows],
    ))  # fmt: skip
    print(f"\nbackward-input and backward-weight / full backward   {ratio:.3f}   (limit {LIMIT})")
    assert ratio <= LIMIT, f"{ratio:.3f}"
