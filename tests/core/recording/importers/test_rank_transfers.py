"""Transfers between the ranks of a profiled pipeline: pairs, and causes by hand."""

import numpy as np
import pytest

from core.explain.arrivals import arrivals, waiting_ns
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.ranks import rank_times
from core.explain.run_step import explain_run_step
from core.plan.task import KIND_CODES, Kind
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.trace.import_issue import ImportIssue
from tests.core.recording.importers.kineto_ranks import EXCHANGE, MAIN, RankFile, opened

US = 1000
WAYS = ("arguments", "name", "call")


def pipeline(way="arguments"):
    """Two ranks, two micro-batches, in µs: F takes 100, B takes 200, and a transfer 20.

    stream 7 of rank 0   F0 F1 .................. B0 B1     F0 10-110, F1 110-210, B0 550-750
    stream 7 of rank 1      .. F0 F1 B0 B1 .........        F0 130-230, F1 230-330, B0 330-530

    A kernel that receives starts as soon as its stream is free, and lasts until the data are there.
    """
    first, last = RankFile(0), RankFile(1)
    for file in (first, last):
        file.step(1, 0, 1000)
    first.mark("Forward 0", 7, 3)
    first.kernel("gemm", 8, 10, 100)
    first.transfer(1, 12, 110, 20, sends=True, way=way)
    first.mark("Forward 1", 17, 3)
    first.kernel("gemm", 18, 110, 100)
    first.transfer(1, 22, 210, 20, sends=True, way=way)
    first.transfer(1, 32, 230, 320, sends=False, way=way)
    first.mark("Backward 0", 37, 3)
    first.kernel("gemm", 38, 550, 200)
    first.transfer(1, 42, 550, 200, sends=False, way=way)
    first.mark("Backward 1", 47, 3)
    first.kernel("gemm", 48, 750, 200)

    last.event("cpu_op", "aten::empty", 2, 1, MAIN)
    last.transfer(0, 5, 7, 123, sends=False, way=way)
    last.mark("Forward 0", 9, 3)
    last.kernel("gemm", 10, 130, 100)
    last.transfer(0, 15, 130, 100, sends=False, way=way)
    last.mark("Forward 1", 19, 3)
    last.kernel("gemm", 20, 230, 100)
    for number, start in enumerate((330, 530)):
        call = 30 + 20 * number
        last.mark(f"Backward {number}", call - 1, 3)
        last.kernel("gemm", call, start, 200)
        last.transfer(0, call + 8, start + 200, 20, sends=True, way=way)
    return first, last


def idle(trace, device):
    """Idle time of the main stream of a device, in µs by cause."""
    [lane] = [each.index for each in trace.header.lanes
              if (each.name, each.device) == ("stream 7", device)]  # fmt: skip
    totals = cause_totals(explain_run_step(trace, trace.steps[0]))[lane]
    return {CAUSES[code]: ns / US for code, ns in enumerate(totals.tolist()) if ns}


@pytest.mark.parametrize("way", WAYS)
def test_idle_time_of_a_pipeline_has_the_causes_that_are_counted_by_hand(tmp_path, way):
    trace = opened(tmp_path, *pipeline(way))
    # Rank 1 waits for F0 of rank 0, receives it, and is done when its last gradient is sent. It is
    # launched at 5, when the step has lasted for 3 µs, and starts after 2 more; F0 of rank 0 starts
    # 3 µs later, since it was not launched before 8.
    assert idle(trace, "rank 1") == {
        Cause.FILL: 100, Cause.TRANSFER: 40, Cause.DRAIN: 200, Cause.HOST: 8,
    }  # fmt: skip
    # Rank 0 waits from 230 to 530 while rank 1 computes; it sends until 230, and receives from 530.
    assert idle(trace, "rank 0") == {Cause.COMPUTE: 300, Cause.TRANSFER: 40, Cause.HOST: 8}


def meetings(trace):
    """Starts of the kernels of each transfer, in µs."""
    explanation = explain_run_step(trace, trace.steps[0])
    columns, meets = explanation.columns, explanation.waits.meets
    copies = (columns.kind == KIND_CODES[Kind.COPY]) & (meets >= 0)
    return [
        tuple(sorted((columns.start[meets == number] // US).tolist()))
        for number in np.unique(meets[copies])
    ]


@pytest.mark.parametrize("way", WAYS)
def test_the_nth_send_and_the_nth_receive_are_one_transfer(tmp_path, way):
    trace = opened(tmp_path, *pipeline(way))
    assert sorted(meetings(trace)) == [(7, 110), (130, 210), (230, 530), (550, 730)]
    # They are no collectives, and the ranks are no replicas of each other.
    assert arrivals(explain_run_step(trace, 0)) == ()
    assert {span.replica for span in trace} == {0}


def test_shares_of_devices_are_those_of_the_kernels(tmp_path):
    trace = opened(tmp_path, *pipeline())
    first, last = rank_times(trace)
    assert (first.compute_ns, first.communication_ns) == (600 * US, (20 + 20 + 320 + 200) * US)
    assert (last.compute_ns, last.communication_ns) == (600 * US, (123 + 100 + 20 + 20) * US)


def test_ranks_with_different_numbers_of_transfers_are_not_matched(tmp_path):
    first, last = pipeline()
    last.transfer(0, 60, 760, 20, sends=True)
    trace = opened(tmp_path, first, last)
    assert sorted(meetings(trace)) == [(7, 110), (130, 210)]
    # Rank 1 sends three times, and rank 0 receives twice.
    assert trace.imported.issues[ImportIssue.UNPAIRED_TRANSFER] == 5


def test_a_rank_alone_has_no_matches(tmp_path):
    first, _ = pipeline()
    assert meetings(opened(tmp_path, first)) == []


def test_a_kernel_that_sends_and_receives_is_one_exchange(tmp_path):
    files = [RankFile(0), RankFile(1)]
    for file, start in zip(files, (100, 160), strict=True):
        file.step(1, 0, 1000)
        file.kernel("gemm", 5, 10, start - 10)
        other = 1 - file.rank
        for word, name in (("send", "Dst Rank"), ("recv", "Src Rank")):
            args = {"Collective name": word, name: other}
            file.event("cpu_op", "record_param_comms", 8, 0.5, MAIN, **args)
        file.kernel("ncclDevKernel_SendRecv", 9, start, 200 - start, EXCHANGE,
                    **{"Collective name": "coalesced", "Process Group Name": "0"})  # fmt: skip
        file.kernel("gemm", 12, 200, 100)
    trace = opened(tmp_path, *files)
    assert meetings(trace) == [(100, 160)]


def test_four_ranks_are_two_pipelines_with_two_stages(tmp_path):
    files = []
    for number in range(2):
        first, last = RankFile(2 * number), RankFile(2 * number + 1)
        for file in (first, last):
            file.step(1, 0, 1000)
            file.kernel("gemm", 5, 10, 90 + 10 * number)
        first.transfer(2 * number + 1, 8, 100 + 10 * number, 20, sends=True)
        last.transfer(2 * number, 8, 100 + 10 * number, 20, sends=False)
        for file in (first, last):
            group = {"Process Group Name": f"dp{file.rank % 2}"}
            file.kernel("ncclDevKernel_AllReduce_Sum", 12, 150 + 30 * number, 100 - 30 * number,
                        EXCHANGE, **group)  # fmt: skip
            file.kernel("adam", 14, 250, 100)
        files += [first, last]
    trace = opened(tmp_path, *files)
    replicas = {}
    for span in trace:
        replicas.setdefault(trace.header.lanes[span.lane].device, set()).add(span.replica)
    assert replicas == {"rank 0": {0}, "rank 1": {0}, "rank 2": {1}, "rank 3": {1}}
    # Rank 0 waits from 150 on for rank 2, which arrives at 180.
    assert idle(trace, "rank 0")[Cause.SLOWEST_RANK] == 30
    assert idle(trace, "rank 0")[Cause.COLLECTIVE] == 70


def test_ranks_of_a_process_group_are_those_of_the_heading(tmp_path):
    files = [RankFile(4), RankFile(6)]
    for place, file in enumerate(files):
        file.step(1, 0, 1000)
        file.kernel("gemm", 5, 10, 90)
        word, arrow = ("send", "->") if place == 0 else ("recv", "<-")
        file.mark(f"nccl:{word} {place}{arrow}{1 - place}", 7, 4)
        file.kernel("ncclDevKernel_SendRecv", 8, 100 + place, 50, EXCHANGE,
                    **{"Collective name": word, "Process Group Name": "3"})  # fmt: skip
        file.groups = [{"pg_name": "3", "ranks": [4, 6]}]
    assert meetings(opened(tmp_path, *files)) == [(100, 101)]


def test_gloos_annotations_are_communication_where_there_is_no_device(tmp_path):
    # Rank 0 computes until 100, rank 1 until 40; the data move from 100 to 150.
    files = [RankFile(0), RankFile(1)]
    for file, computed, name in zip(files, (100, 40), ("gloo:send", "gloo:recv"), strict=True):
        file.step(1, 0, 1000)
        file.event("cpu_op", "aten::mm", 10, computed - 10, MAIN)
        file.event("user_annotation", name, computed, 150 - computed, 300)
        file.event("cpu_op", "aten::mm", 150, 50, MAIN)
    trace = opened(tmp_path, *files)
    assert meetings(trace) == [(40, 100)]
    [main, _] = [lane for lane in trace.header.lanes if lane.device == "rank 1"][:2]
    totals = cause_totals(explain_run_step(trace, 0))[main.index]
    assert {CAUSES[code]: ns // US for code, ns in enumerate(totals.tolist()) if ns} == {
        Cause.COMPUTE: 60, Cause.TRANSFER: 50,
    }  # fmt: skip


def gloo_transfer(file, word, other, ts, dur):
    """Add a call of torch to send or receive, and gloo's annotation, which starts within it."""
    name = "c10d::send" if word == "send" else "c10d::recv_"
    inputs = {"Concrete Inputs": ["", "", str(other), "0"]}
    file.event("cpu_op", name, ts - 2, 4, MAIN, **inputs)
    file.event("user_annotation", f"gloo:{word}", ts, dur, MAIN)


def gloo_pipeline():
    """Three ranks; in µs F takes 100 on each, and a transfer 20 from when both have begun."""
    files = [RankFile(rank) for rank in range(3)]
    for file in files:
        file.step(1, 0, 1000)
        file.groups = [{"pg_name": "0", "ranks": [0, 1, 2]}]
    starts = (10, 130, 250)
    for rank, (file, start) in enumerate(zip(files, starts, strict=True)):
        if rank > 0:
            gloo_transfer(file, "recv", rank - 1, 10, start - 10)
        file.event("cpu_op", "aten::mm", start + 4, 96, MAIN)
        if rank < 2:
            gloo_transfer(file, "send", rank + 1, start + 102, 18)
    return files


def test_calls_of_gloo_name_the_other_one_of_three_ranks(tmp_path):
    trace = opened(tmp_path, *gloo_pipeline())
    assert sorted(meetings(trace)) == [(10, 112), (10, 232)]
    assert {span.replica for span in trace} == {0}
    assert ImportIssue.UNKNOWN_RANKS not in trace.imported.issues


def test_without_inputs_of_calls_transfers_of_three_ranks_are_in_the_notes(tmp_path):
    files = gloo_pipeline()
    for file in files:
        for event in file.events:
            event["args"] = {}
    trace = opened(tmp_path, *files)
    assert meetings(trace) == []
    assert trace.imported.issues[ImportIssue.UNKNOWN_RANKS] == 4


def test_ranks_of_gloos_calls_are_not_guessed_if_there_are_several_groups(tmp_path):
    files = gloo_pipeline()
    for file in files:
        file.groups.append({"pg_name": "1", "ranks": [1, 2]})
    assert meetings(opened(tmp_path, *files)) == []


def test_a_kernel_that_sends_to_all_ranks_of_its_group_is_an_all_to_all(tmp_path):
    files = [RankFile(rank) for rank in range(3)]
    for file, start in zip(files, (100, 130, 160), strict=True):
        file.groups = [{"pg_name": "0", "ranks": [0, 1, 2]}]
        file.step(1, 0, 1000)
        file.kernel("gemm", 5, 10, start - 10)
        file.exchange(9, start, 200 - start, (0, 1, 2), (0, 1, 2))
    trace = opened(tmp_path, *files)
    assert {span.kind for span in trace if span.name.startswith("nccl")} == {Kind.ALL_TO_ALL}
    [found] = arrivals(explain_run_step(trace, 0))
    assert (found.members, found.wait_ns, found.transfer_ns) == (3, 60 * US, 40 * US)
    assert ImportIssue.UNKNOWN_RANKS not in trace.imported.issues


def ranks_that_exchange(kernels):
    """Ranks that compute from 10 µs until their kernel, and again after it.

    `kernels` has for each rank the start and the end of its kernel, and the ranks to which it sends
    and from which it receives.
    """
    files = []
    for rank, (start, end, sends, receives) in enumerate(kernels):
        file = RankFile(rank)
        file.groups = [{"pg_name": "0", "ranks": list(range(len(kernels)))}]
        file.step(1, 0, 1000)
        file.kernel("gemm", 5, 10, start - 10)
        if sends or receives:
            file.exchange(8, start, end - start, sends, receives)
        file.kernel("gemm", 9, end, 100)
        files.append(file)
    return files


def waiting(trace):
    """µs for which the kernels of each rank that move data wait for other ranks."""
    explanation = explain_run_step(trace, trace.steps[0])
    columns = explanation.columns
    waits = waiting_ns(columns, explanation.waits)
    found = {}
    for place in np.flatnonzero(columns.kind == KIND_CODES[Kind.COPY]).tolist():
        device = trace.header.lanes[columns.lane[place]].device
        found.setdefault(device, []).append(waits[place] / US)
    return found


CHAIN = ((100, 150, [1], []), (60, 260, [2], [0]), (200, 260, [], [1]))
"""Rank 1 sends and receives in one kernel; rank 2 is late, and rank 0 need not wait for it."""


def test_a_kernel_waits_for_all_ranks_with_which_it_exchanges_data(tmp_path):
    trace = opened(tmp_path, *ranks_that_exchange(CHAIN))
    assert waiting(trace) == {"rank 0": [0], "rank 1": [140], "rank 2": [0]}
    assert ImportIssue.UNKNOWN_RANKS not in trace.imported.issues
    # Rank 1 waits while rank 2 computes, from 60 to 200, and then for the data.
    causes = idle(trace, "rank 1")
    assert causes[Cause.TRANSFER] == 60
    assert sum(causes.values()) - causes[Cause.TRANSFER] - causes[Cause.HOST] >= 140
    # The ranks are one pipeline.
    assert {span.replica for span in trace} == {0}


def test_ranks_in_a_ring_wait_only_for_their_neighbours(tmp_path):
    kernels = []
    for rank, (start, end) in enumerate(((100, 320), (100, 150), (100, 320), (300, 320))):
        kernels.append((start, end, [(rank + 1) % 4], [(rank - 1) % 4]))
    trace = opened(tmp_path, *ranks_that_exchange(kernels))
    assert waiting(trace) == {"rank 0": [200], "rank 1": [0], "rank 2": [200], "rank 3": [0]}


def test_some_of_several_ranks_exchange_data_all_to_all(tmp_path):
    # Ranks 0, 2 and 3 of four exchange data; rank 3 is late. Rank 1 only computes.
    kernels = []
    for rank, start in ((0, 100), (1, 120), (2, 150), (3, 300)):
        others = [other for other in (0, 2, 3) if other != rank] if rank != 1 else []
        kernels.append((start, 340, others, others))
    trace = opened(tmp_path, *ranks_that_exchange(kernels))
    assert waiting(trace) == {"rank 0": [200], "rank 2": [150], "rank 3": [0]}


def test_the_nth_transfer_of_a_direction_is_in_a_kernel_of_its_own_or_one_of_several(tmp_path):
    files = ranks_that_exchange(
        ((100, 200, [1, 2], []), (130, 200, [], [0]), (190, 200, [], [0])),
    )
    files[0].exchange(12, 310, 40, [1], [])
    files[1].exchange(12, 330, 20, [], [0])
    trace = opened(tmp_path, *files)
    assert waiting(trace) == {"rank 0": [90, 20], "rank 1": [0, 0], "rank 2": [0]}
    # Only the last transfer is one of two kernels that meet no other.
    assert meetings(trace) == [(310, 330)]


def test_a_direction_with_different_numbers_of_sends_and_receives_is_not_matched(tmp_path):
    files = ranks_that_exchange(CHAIN)
    files[2].transfer(1, 12, 400, 20, sends=False)
    trace = opened(tmp_path, *files)
    # One kernel sends from rank 1 to rank 2, and two receive.
    assert trace.imported.issues[ImportIssue.UNPAIRED_TRANSFER] == 3
    # Rank 1 still meets rank 0, which arrives 40 µs after it.
    assert waiting(trace) == {"rank 0": [0], "rank 1": [40], "rank 2": [0, 0]}


def test_a_saved_trace_keeps_the_ranks_with_which_kernels_exchange_data(tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    trace = opened(folder, *ranks_that_exchange(CHAIN))
    saved = tmp_path / "saved.arrow"
    for _ in write_recording(trace, saved):
        pass
    assert waiting(open_recording(saved).trace) == waiting(trace)


def test_transfers_whose_ranks_are_named_are_not_in_the_notes(tmp_path):
    trace = opened(tmp_path, *pipeline())
    assert ImportIssue.UNKNOWN_RANKS not in trace.imported.issues
    assert ImportIssue.UNPAIRED_TRANSFER not in trace.imported.issues
