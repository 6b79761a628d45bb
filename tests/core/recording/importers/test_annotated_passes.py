"""Passes of a profiler's tasks, by the annotations around their launches."""

import pytest

from core.plan.task import Kind
from core.recording.importers.annotated_passes import annotated_pass
from tests.core.recording.importers.kineto_ranks import (
    ALL_TO_ALL,
    AUTOGRAD,
    EXCHANGE,
    MAIN,
    RankFile,
    opened,
)


@pytest.mark.parametrize(
    ("name", "kind", "stage", "microbatch"),
    [
        ("attn (F)", Kind.FORWARD, None, None),
        ("dispatch (B)", Kind.BACKWARD, None, None),
        ("mlp (W)", Kind.BACKWARD_WEIGHT, None, None),
        ("mlp (I)", Kind.BACKWARD_INPUT, None, None),
        ("attn (F12)", Kind.FORWARD, None, 12),
        ("attn (B) 3", Kind.BACKWARD, None, 3),
        ("combine (B) #3", Kind.BACKWARD, None, 3),
        ("Forward 4", Kind.FORWARD, None, 4),
        ("Backward 0", Kind.BACKWARD, None, 0),
        ("PP:2F3", Kind.FORWARD, 2, 3),
        ("3W1", Kind.BACKWARD_WEIGHT, 3, 1),
    ],
)
def test_annotations_name_passes(name, kind, stage, microbatch):
    found = annotated_pass(name)
    direction = int(kind is not Kind.FORWARD)
    assert found is not None and found.kind is kind
    assert (found.stage[direction], found.microbatch[direction]) == (stage, microbatch)


@pytest.mark.parametrize(
    "name", ["attn", "F", "f(F1", "forward 3", "conv2d (FP16)", "step (1)", "Optimizer.step#Adam"]
)
def test_other_annotations_name_none(name):
    assert annotated_pass(name) is None


def kinds(trace, *, lane):
    """Short name, kind and micro-batch of each task of a lane."""
    number = next(each.index for each in trace.header.lanes if each.name == lane)
    return [(span.name[:6], span.kind, span.microbatch) for span in trace if span.lane == number]


def dual_pipe():
    """A forward of micro-batch 2 with a backward of micro-batch 0 and its weights' part."""
    file = RankFile(0)
    file.step(1, 0, 1000)
    passes = (("attn (F2)", "gemm"), ("dispatch (F2)", ALL_TO_ALL), ("mlp (B0)", "gemm"),
              ("combine (B0)", ALL_TO_ALL), ("mlp (W0)", "gemm"), ("update", "adam"))  # fmt: skip
    for number, (name, kernel) in enumerate(passes):
        call = 10 + 20 * number
        file.mark(name, call, 15)
        stream = EXCHANGE if kernel == ALL_TO_ALL else 7
        file.kernel(kernel, call + 5, 100 + 100 * number, 90, stream)
    return file


def test_a_dual_pipe_shows_its_passes(tmp_path):
    trace = opened(tmp_path, dual_pipe())
    assert kinds(trace, lane="stream 7") == [
        ("gemm", Kind.FORWARD, 2),
        ("gemm", Kind.BACKWARD, 0),
        ("gemm", Kind.BACKWARD_WEIGHT, 0),
        ("adam", Kind.OTHER, None),
    ]
    # What communicates stays communication, with the micro-batch whose data it moves.
    assert [(kind, microbatch) for _, kind, microbatch in kinds(trace, lane="stream 20")] == [
        (Kind.ALL_TO_ALL, 2), (Kind.ALL_TO_ALL, 0),
    ]  # fmt: skip
    assert trace.table.has_kinds


def test_a_task_belongs_to_the_annotation_of_its_launch_and_not_of_its_time(tmp_path):
    file = dual_pipe()
    file.mark("attn (B9)", 195, 800)
    trace = opened(tmp_path, file)
    assert Kind.BACKWARD_WEIGHT in [kind for _, kind, _ in kinds(trace, lane="stream 7")]
    assert {microbatch for _, _, microbatch in kinds(trace, lane="stream 7")} == {2, 0, None}


def test_inner_annotations_add_to_outer_ones(tmp_path):
    file = RankFile(0)
    file.step(1, 0, 1000)
    file.mark("PP:(2F3;5B1)OVERLAP_F_B", 10, 80)
    for number, name in enumerate(("attn (F)", "attn (B)", "mlp (W)")):
        file.mark(name, 12 + 20 * number, 15)
        file.kernel("gemm", 15 + 20 * number, 100 + 50 * number, 40)
    file.kernel("gemm", 80, 300, 40)
    file.mark("PP:2F4", 95, 50)
    file.mark("attn", 96, 40)
    file.kernel("gemm", 100, 350, 40)
    trace = opened(tmp_path, file)
    assert kinds(trace, lane="stream 7") == [
        ("gemm", Kind.FORWARD, 3),
        ("gemm", Kind.BACKWARD, 1),
        ("gemm", Kind.BACKWARD_WEIGHT, 1),
        ("gemm", Kind.OTHER, None),
        ("gemm", Kind.FORWARD, 4),
    ]
    stages = [span.stage for span in trace if span.lane == 0]
    assert stages == [2, 5, 5, None, 2]


def test_backward_passes_are_launched_by_the_thread_of_autograd(tmp_path):
    file = RankFile(0)
    file.step(1, 0, 1000)
    file.mark("Forward 0", 10, 20)
    file.kernel("gemm", 15, 50, 40)
    file.mark("Backward 0", 40, 60)
    file.kernel("gemm", 60, 100, 40, tid=AUTOGRAD)
    file.kernel("gemm", 120, 150, 40, tid=AUTOGRAD)
    trace = opened(tmp_path, file)
    assert [kind for _, kind, _ in kinds(trace, lane="stream 7")] == [
        Kind.FORWARD, Kind.BACKWARD, Kind.OTHER,
    ]  # fmt: skip


def test_copies_of_memory_are_no_passes(tmp_path):
    file = RankFile(0)
    file.step(1, 0, 1000)
    file.mark("attn (F)", 10, 80)
    file.kernel("gemm", 15, 100, 40)
    file.kernel("Memcpy DtoD (Device -> Device)", 20, 150, 10)
    assert [kind for _, kind, _ in kinds(opened(tmp_path, file), lane="stream 7")] == [
        Kind.FORWARD, Kind.OTHER,
    ]  # fmt: skip


def test_without_a_device_the_operators_are_the_passes(tmp_path):
    file = RankFile(0)
    file.step(1, 0, 1000)
    file.mark("Forward 3", 10, 80)
    file.event("cpu_op", "aten::mm", 20, 30, MAIN)
    file.event("cpu_op", "aten::add", 200, 30, MAIN)
    assert kinds(opened(tmp_path, file), lane="thread 100") == [
        ("aten::", Kind.FORWARD, 3),
        ("aten::", Kind.OTHER, None),
    ]
