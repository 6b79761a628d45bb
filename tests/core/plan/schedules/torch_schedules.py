"""torch.distributed.pipelining's schedules without stages, ranks or a process group."""

from types import SimpleNamespace

import pytest

torch_schedules = pytest.importorskip("torch.distributed.pipelining.schedules")

MULTI = {
    "interleaved": "ScheduleInterleaved1F1B",
    "looped-bfs": "ScheduleLoopedBFS",
    "interleaved-zb": "ScheduleInterleavedZeroBubble",
    "zb-v": "ScheduleZBVZeroBubble",
    "dualpipe-v": "ScheduleDualPipeV",
}
SINGLE = {"gpipe": "ScheduleGPipe", "1f1b": "Schedule1F1B"}


def fakes(ranks, chunks):
    """As much of rank 0's stages as a schedule looks at when it is made."""
    return [
        SimpleNamespace(
            stage_index=index * ranks, num_stages=ranks * chunks, group_size=ranks, group_rank=0,
            is_first=index == 0, is_last=False, submod=None, has_backward=True,
        )
        for index in range(chunks)
    ]  # fmt: skip


def made(name, ranks, microbatches, chunks):
    """torch's schedule object of several stages a rank. Raises ValueError outside its domain."""
    return getattr(torch_schedules, MULTI[name])(fakes(ranks, chunks), microbatches)


def orders(name, ranks, microbatches, chunks):
    """Each rank's actions as torch prints them, without empty ticks and gradient reductions."""
    if name in MULTI:
        table = made(name, ranks, microbatches, chunks).pipeline_order
    else:
        schedule = object.__new__(getattr(torch_schedules, SINGLE[name]))
        schedule._num_stages, schedule._n_microbatches = ranks, microbatches
        table = schedule._get_pipeline_order()
    return [texts(table[rank]) for rank in range(ranks)]


def texts(actions):
    kept = (str(action) for action in actions if action is not None)
    return [text for text in kept if not text.endswith("REDUCE_GRAD")]


def loader(ranks, chunks, microbatches):
    """torch's loader of the compute-only form, with nothing loaded yet."""
    stages = fakes(ranks, chunks)
    return torch_schedules.PipelineScheduleMulti(stages, microbatches)
