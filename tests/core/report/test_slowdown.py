"""How much shorter a job would be if a worker, a row, a column or a kind were like its peers."""

import json

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.specification import Specification
from core.recording.recording import open_recording
from core.report.even_split import even_split
from core.report.mesh import Axis
from core.report.slowdown import PeerGroup, Slowdown, slowdown
from core.trace.median_step import whole_steps
from core.trace.own_steps import with_range
from core.trace.trace import Trace
from tests.core.recording.importers.pipeline_jobs import (
    Fault,
    JobOptions,
    make_job,
    trace_of_job,
)
from tests.core.report.made_jobs import MS, Job, opened, ran
from tests.core.report.verdicts import made
from tests.make_believe import specification, trace_of


def matrix_of(trace: Trace, **options: object) -> Slowdown:
    return slowdown(trace, whole_steps(trace), **options)


def shares(savings) -> dict[str, float]:
    return {one.name: one.share for one in savings}


def test_a_slow_worker_has_the_cell_its_row_and_its_column() -> None:
    job = make_job(JobOptions(replicas=3, fault=Fault.WORKER, amount=1.5))
    assert job.truth.worker is not None
    replica, rank = job.truth.worker
    found = matrix_of(trace_of_job(job))
    matrix = found.matrix()
    assert (found.rows, found.columns) == (Axis.DP, Axis.PP) and matrix.shape == (3, 4)
    assert np.unravel_index(matrix.argmax(), matrix.shape) == (replica, rank)
    assert matrix.max() == pytest.approx(job.truth.saved, rel=0.1)
    others = np.delete(matrix.ravel(), matrix.argmax())
    assert np.abs(others).max() < 0.02
    assert max(found.of_rows, key=lambda one: one.share).name == f"DP {replica}"
    assert max(found.of_columns, key=lambda one: one.share).name == f"PP {rank}"


def test_a_slow_stage_has_the_column_and_no_cell() -> None:
    job = make_job(JobOptions(replicas=3, fault=Fault.STAGE, amount=1.5))
    found = matrix_of(trace_of_job(job))
    columns = shares(found.of_columns)
    assert columns.pop(f"PP {job.truth.stage}") == pytest.approx(job.truth.saved, rel=0.1)
    assert max(columns.values()) < 0.02 and np.abs(found.matrix()).max() < 0.02


def test_a_kind_that_only_one_worker_is_slow_at_has_the_saving() -> None:
    run = Specification("ddp", devices="4xvirtual:cpu", batch=64, steps=5, warmup=0)

    def longer(columns, _):
        return np.where((columns.lane == 2) & (columns.kind == columns.kind[0]), 3.0, 1.0)

    found = matrix_of(made(run, longer=longer).trace)
    slow, *others = sorted(found.of_kinds, key=lambda one: -one.share)
    assert slow.name == "forward" and slow.share > 0.2
    assert max(one.share for one in others) < 0.05


def test_lanes_without_stages_are_replicas() -> None:
    found = matrix_of(made(Specification("ddp", devices="4xvirtual:cpu", batch=64)).trace)
    places = [tuple(worker.place.values()) for worker in found.workers]
    assert places == [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)]


def test_the_axes_can_be_chosen() -> None:
    trace = trace_of_job(make_job(JobOptions(replicas=2)))
    found = matrix_of(trace, axes=(Axis.PP, Axis.TP))
    assert found.matrix().shape == (4, 1)
    assert [one.name for one in found.of_rows] == ["PP 0", "PP 1", "PP 2", "PP 3"]


def test_every_part_has_its_ns_and_its_share() -> None:
    found = matrix_of(trace_of_job(make_job(JobOptions(replicas=2))))
    assert {one.part for one in found.every} == set(PeerGroup)
    for one in found.every:
        assert one.share == pytest.approx(one.saved_ns / found.step_ns)


def test_of_many_steps_and_workers_fewer_steps_are_replayed(monkeypatch) -> None:
    trace = trace_of_job(make_job(JobOptions(replicas=2, steps=8, fault=Fault.WORKER)))
    every = matrix_of(trace)
    assert every.replayed == every.steps == 8
    monkeypatch.setattr("core.report.peer_replays.MOST_WORK", 20_000)
    some = matrix_of(trace)
    assert 2 <= some.replayed < 8
    assert some.matrix().max() == pytest.approx(every.matrix().max(), rel=0.1)


def test_several_parts_are_replayed_at_once_as_well_as_one_by_one(monkeypatch) -> None:
    trace = trace_of_job(make_job(JobOptions(replicas=2, fault=Fault.STAGE)))
    at_once = matrix_of(trace)
    monkeypatch.setattr("core.report.peer_replays.MOST_TIMES", 1)
    assert shares(matrix_of(trace).every) == pytest.approx(shares(at_once.every))


@pytest.mark.parametrize("part", ["forward", "data", "host", "update"])
def test_a_slow_rank_of_a_job_has_the_cell_and_the_kind(tmp_path, part: str) -> None:
    job = Job(ranks=4, extra={(2, part, None): 3 * MS})
    trace, slow = opened(job, tmp_path)
    longer = slow.iterations.mean() - ran(job.without()).iterations.mean()
    found = matrix_of(trace)
    cells = found.matrix().ravel()
    assert cells.argmax() == 2 and np.abs(np.delete(cells, 2)).max() < 0.03
    assert found.of_workers[2].saved_ns == pytest.approx(longer, rel=0.15)
    kinds = shares(found.of_kinds)
    name = {"update": "step"}.get(part, part)
    assert max(kinds, key=lambda one: kinds[one]) == name and kinds[name] > 0.05


def test_one_lane_has_no_peers() -> None:
    with pytest.raises(PlanError, match="no peers"):
        matrix_of(trace_of(specification("single", devices="cpu", steps=3)))


def test_lanes_that_are_not_known_to_wait_are_refused(tmp_path) -> None:
    events = [
        {"name": "work", "ph": "X", "pid": 1, "tid": tid, "ts": 10 * n, "dur": 5}
        for n in range(3)
        for tid in (1, 2)
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))
    whole = open_recording(path).trace
    trace = with_range(whole, 0, whole.bounds[1] + 1)
    assert even_split(trace, whole_steps(trace)) is None
    with pytest.raises(PlanError, match="does not contain what tasks wait for on other lanes"):
        matrix_of(trace)
