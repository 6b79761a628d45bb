"""Traces of Ascend's profiler: streams, collectives, launches, ranks, and causes by hand."""

import json

import pytest

from core.errors import RecordingError
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.ranks import rank_times
from core.explain.run_step import explain_run_step
from core.plan.plan import Role
from core.plan.task import Kind
from core.recording import sniff
from core.recording.recording import open_recording
from core.recording.sniff import trace_files
from core.report.limits import Limit
from core.report.verdict import verdict
from core.trace.import_issue import ImportIssue
from tests.core.recording.importers.ascend_files import AscendFile

US = 1000
REDUCE = "hcom_allReduce__586_0_1"


def one_step(rank, work_us=100):
    """A step in µs from 0 to 1000: compute, a collective until 600, and compute that is late.

    With `work_us` = 100, stream 2 computes from 10 to 110 and from 660 to 1000; the collective
    runs from 110 on, and the call that launches the last task begins at 650.
    """
    file = AscendFile(rank)
    file.step(3, 0, 1000 * US)
    done = (10 + work_us) * US
    file.kernel("MatMulV2", 2 * US, 10 * US, done)
    file.collective(REDUCE, 5 * US, done, 600 * US)
    file.wait(done + 1 * US, 600 * US)
    file.kernel("Add", 650 * US, 660 * US, 1000 * US)
    return file


def opened(tmp_path, *files, **options):
    for file in files:
        file.save(tmp_path, **options)
    return open_recording(tmp_path)


def idle(trace, lane):
    """The idle time of a lane in its first step, in µs by cause."""
    totals = cause_totals(explain_run_step(trace, trace.steps[0]))[lane]
    return {CAUSES[code]: ns / US for code, ns in enumerate(totals.tolist()) if ns}


def lane_of(trace, name, device="rank 0"):
    return next(lane for lane in trace.header.lanes if (lane.name, lane.device) == (name, device))


def test_streams_and_rows_of_groups_are_lanes_and_all_else_of_the_device_is_notes(tmp_path):
    trace = opened(tmp_path, one_step(0)).trace
    lanes = {lane.name: lane for lane in trace.header.lanes if lane.role is not Role.NESTED}
    assert list(lanes) == [
        "stream 2", "Group 0 Communication", "stream 40", "Thread 1", "Thread 2",
    ]  # fmt: skip
    roles = [lanes[name].role for name in ("stream 2", "Group 0 Communication", "stream 40")]
    assert roles == [Role.COMPUTE, Role.COMMUNICATION, Role.COPY]
    notes = [lane.name for lane in trace.header.lanes if lane.role is Role.NESTED]
    assert "stream 2 device annotations" in notes
    assert "Plane 0 device annotations" in notes
    assert "Overlap Analysis: Free device annotations" in notes
    kinds = [span.kind for span in trace if span.kind is not Kind.OTHER]
    assert kinds == [Kind.ALL_REDUCE]
    assert trace.imported.issues == {} and trace.steps == [2]  # shown as step 3


def test_times_are_exact_to_the_ns_and_neighbours_do_not_overlap(tmp_path):
    file = AscendFile(0)
    for number in range(50):
        file.kernel(f"Mul{number}", 1, 2_000 + 1_003 * number, 2_000 + 1_003 * (number + 1))
    trace = opened(tmp_path, file).trace
    spans = trace.spans(lane_of(trace, "stream 2").index)
    assert (spans.end - spans.start).tolist() == [1_003] * 50
    assert spans.start[1:].tolist() == spans.end[:-1].tolist()


def test_the_last_call_that_leads_to_a_task_launched_it(tmp_path):
    trace = opened(tmp_path, one_step(0)).trace
    begin = min(span.start for span in trace)
    calls = [span.start for span in trace if span.name == "Node@launch"]
    [first, last] = [span for span in trace if span.lane == lane_of(trace, "stream 2").index]
    assert (first.launched, last.launched) == (calls[0], calls[-1])
    assert begin < first.launched


def test_tasks_belong_to_the_pass_of_the_operator_that_launched_them(tmp_path):
    file = one_step(0)
    # The operator of the first task runs from 1.6 to 1.9 µs, and the runtime's call later.
    file.complete(0, 1, "mlp (F3)", 1_500, 1_950, cat="cpu_op", args={})
    trace = opened(tmp_path, file).trace
    passes = [(span.kind, span.microbatch) for span in trace if span.lane == 0]
    assert passes == [(Kind.FORWARD, 3), (Kind.OTHER, None)]


def test_idle_time_of_one_rank_has_the_causes_that_are_counted_by_hand(tmp_path):
    trace = opened(tmp_path, one_step(0)).trace
    # From 110 to 600 the collective runs; the next task was launched at 650, after the device had
    # become idle. The step begins with the operator at 0 whose call launches the first task.
    assert idle(trace, 0) == {Cause.COLLECTIVE: 490, Cause.HOST: 60 + 10}
    found = verdict(trace)
    assert found is not None and found.kind is Limit.COMMUNICATION and found.loss_ns == 490 * US


def test_a_rank_waits_for_the_slowest_until_the_collective_moves_data(tmp_path):
    trace = opened(tmp_path, one_step(0), one_step(1, work_us=300)).trace
    assert {lane.device for lane in trace.header.lanes} == {"rank 0", "rank 1"}
    # Rank 1 arrives at 310: until then rank 0 waits for it, then data moves until 600.
    slow = lane_of(trace, "stream 2", "rank 1").index
    assert idle(trace, lane_of(trace, "stream 2").index) == {
        Cause.SLOWEST_RANK: 200, Cause.COLLECTIVE: 290, Cause.HOST: 60 + 10,
    }  # fmt: skip
    assert idle(trace, slow) == {Cause.COLLECTIVE: 290, Cause.HOST: 60 + 10}


def test_shares_of_a_device_are_those_of_the_overlap_analysis(tmp_path):
    file = one_step(0)
    file.kernel("Relu", 100 * US, 300 * US, 420 * US, stream=3)
    trace = opened(tmp_path, file).trace
    shares = file.shares()
    [time] = rank_times(trace)
    assert time.compute_ns == shares["Computing"]
    assert time.communication_ns == shares["Communication"]
    assert time.exposed_ns == shares["Communication(Not Overlapped)"]
    assert time.idle_ns == shares["Free"]


def test_copies_of_memory_are_no_compute(tmp_path):
    file = one_step(0)
    file.copy(601 * US, 610 * US, 640 * US)
    [time] = rank_times(opened(tmp_path, file).trace)
    assert time.compute_ns == (100 + 340) * US and time.memory_ns == 30 * US


def test_collectives_that_streams_have_too_count_once(tmp_path):
    file = one_step(0)
    args = {"Stream Id": 40, "Task Type": "HCCL"}
    file.complete(2, 40, REDUCE, 110 * US, 600 * US, args=args)
    trace = opened(tmp_path, file).trace
    [moved] = [span for span in trace if span.kind is Kind.ALL_REDUCE]
    assert moved.lane == lane_of(trace, "stream 40").index
    group = next(each for each in trace.header.lanes if each.name.startswith("Group 0"))
    assert group.role is Role.NESTED


def test_collectives_of_different_groups_do_not_meet(tmp_path):
    files = [one_step(0), one_step(1)]
    for file, group in zip(files, ("211", "722"), strict=True):
        file.collective(f"hcom_allReduce__{group}_0_1", 6 * US, 600 * US, 640 * US, group=1)
    explanation = explain_run_step(opened(tmp_path, *files).trace, 2)
    meets = explanation.waits.meets
    of_groups = explanation.columns.bucket[meets >= 0].tolist()
    assert sorted(of_groups) == [0, 1, 1, 2]  # 211, 586 on both ranks, 722
    assert len(set(meets[meets >= 0].tolist())) == 3


@pytest.mark.parametrize("depth", ["", "rank_0/", "several"])
def test_folders_of_the_profiler_are_one_run(tmp_path, depth):
    if depth == "several":
        for rank in (0, 1):
            one_step(rank).save(tmp_path / f"rank_{rank}", has_info=False)
        folder = tmp_path
    else:
        own = one_step(0).save(tmp_path / depth)
        folder = own if depth else own / "ASCEND_PROFILER_OUTPUT"
    trace = open_recording(folder).trace
    places = {lane.device for lane in trace.header.lanes}
    assert places == ({"rank 0", "rank 1"} if depth == "several" else {"rank 0"})
    assert ImportIssue.UNREADABLE not in trace.imported.issues
    assert len(trace_files(folder)) == len(places)


@pytest.mark.parametrize("levels", ["site/job/run-3/rank_{}", "a/b/c/d/rank_{}"])
def test_folders_of_ranks_are_found_at_any_depth_up_to_a_limit(tmp_path, levels):
    for rank in (0, 1, 2):
        folder = tmp_path / levels.format(rank) / "profile"
        # A rank has its own folder, or its trace alone was copied.
        if rank < 2:
            one_step(rank).save(folder, has_info=False)
        else:
            folder.mkdir(parents=True)
            (folder / "trace_view.json").write_text(json.dumps(one_step(rank).written()))
    trace = open_recording(tmp_path).trace
    assert {lane.device for lane in trace.header.lanes} == {"rank 0", "rank 1", "rank 2"}


def test_a_folder_without_results_says_where_they_were_searched(tmp_path, monkeypatch):
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    too_deep = tmp_path / "1/2/3/4/5/6/7/8/9"
    too_deep.mkdir(parents=True)
    (too_deep / "trace_view.json").write_text("[]")
    searched = r"no trace_view.json is in its folders \(searched: 8 levels, at most 8,192 folders\)"
    with pytest.raises(RecordingError, match=searched) as refused:
        open_recording(tmp_path)
    assert "\n" not in str(refused.value)
    one_step(0).save(tmp_path / "rank_0")
    monkeypatch.setattr(sniff, "_MOST_FOLDERS", 4)
    with pytest.raises(RecordingError, match="at most 4 folders"):
        open_recording(tmp_path)


def test_ranks_without_numbers_are_named_after_their_folders(tmp_path):
    read = opened(tmp_path, one_step(0), one_step(1), has_info=False)
    places = {lane.device for lane in read.trace.header.lanes}
    assert places == {f"node-7_{4000 + rank}_20241107013748_ascend_pt" for rank in (0, 1)}


def test_a_file_alone_is_read_in_any_folder(tmp_path):
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(one_step(0).written()))
    trace = open_recording(path).trace
    assert {lane.device for lane in trace.header.lanes} == {"saved.json"}
    assert idle(trace, 0) == {Cause.COLLECTIVE: 490, Cause.HOST: 70}


def pipeline_of_three():
    """Three ranks of a pipeline, in µs: F takes 100, B takes 200; rank 1 sends in both directions.

    Each pair has a process group, 447 of ranks 0 and 1, and 128 of ranks 1 and 2. A transfer takes
    20 once both ranks have started it.
    """
    files = [AscendFile(rank) for rank in range(3)]
    for file in files:
        file.step(1, 0, 1000 * US)
        # All else is launched while this runs.
        file.kernel("Fill", 1 * US, 2 * US, 10 * US)
    plan = (
        (0, "F", 10, 110), (0, "send__447_0_1", 110, 130), (0, "receive__447_1_1", 130, 690),
        (0, "B", 690, 890),
        (1, "receive__447_0_1", 10, 130), (1, "F", 130, 230), (1, "send__128_0_1", 230, 250),
        (1, "receive__128_1_1", 250, 470), (1, "B", 470, 670), (1, "send__447_1_1", 670, 690),
        (2, "receive__128_0_1", 10, 250), (2, "FB", 250, 450), (2, "send__128_1_1", 450, 470),
    )  # fmt: skip
    for rank, name, start, end in plan:
        if "__" in name:
            files[rank].collective(f"hcom_{name}", 5 * US, start * US, end * US)
        else:
            files[rank].kernel(name, 5 * US, start * US, end * US)
    return files


def test_a_send_and_a_receive_of_a_group_are_one_transfer(tmp_path):
    trace = opened(tmp_path, *pipeline_of_three()).trace
    explanation = explain_run_step(trace, trace.steps[0])
    columns, meets = explanation.columns, explanation.waits.meets
    pairs = [sorted(columns.start[meets == number] // US) for number in set(meets[meets >= 0])]
    assert sorted(pairs) == [[10, 110], [10, 230], [130, 670], [250, 450]]
    assert {span.replica for span in trace} == {0}
    causes = [idle(trace, lane_of(trace, "stream 2", f"rank {rank}").index) for rank in range(3)]
    # Rank 0 waits from 130 to 670: for F of rank 1, a transfer, F and B of rank 2, a transfer back,
    # and B of rank 1.
    assert causes[0] == {Cause.COMPUTE: 500, Cause.TRANSFER: 80, Cause.HOST: 112}
    # Rank 1 waits for F of rank 0 and from 250 to 450 for rank 2, and sends last until 690.
    assert causes[1] == {Cause.COMPUTE: 300, Cause.TRANSFER: 80, Cause.HOST: 312}
    # Rank 2 waits for F of ranks 0 and 1 and two transfers, and sends until 470.
    assert causes[2] == {Cause.COMPUTE: 200, Cause.TRANSFER: 60, Cause.HOST: 532}
    assert trace.imported.issues == {}


def test_batches_of_sends_and_receives_do_not_name_their_ranks_and_are_in_the_notes(tmp_path):
    files = [AscendFile(0), AscendFile(1)]
    for file in files:
        file.step(1, 0, 1000 * US)
        file.kernel("MatMulV2", 2 * US, 10 * US, 100 * US)
        file.collective("hcom_batchSendRecv__128_4_1", 5 * US, 100 * US, 150 * US)
    trace = opened(tmp_path, *files).trace
    assert trace.imported.issues == {ImportIssue.UNKNOWN_RANKS: 2}
