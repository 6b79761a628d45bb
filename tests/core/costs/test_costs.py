"""Costs of tasks: by stage, by rows, by bytes, on slow lanes; and missing costs."""

import numpy as np
import pytest

from core.costs.costs import CostError, CostModel, cost_at, least_cost_at, most_cost_at
from core.costs.costs_file import costs_of
from core.costs.durations import durations
from core.models.catalogue import ModelSettings
from core.plan.link import Link
from core.plan.plan import Plan
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind
from core.trace.step import StepColumns
from tests.core.predict.plans import MLP, even, pipeline, planned

MS = 1_000_000
HAND = {"forward_ms": 2, "backward_input_ms": 3, "backward_weight_ms": 4, "step_ms": 5}


def times(plan: Plan, costs: CostModel) -> dict[str, int]:
    """The time in ns of every task by its name (the first of a name)."""
    found = durations(StepColumns.of_plan(plan), costs, plan.stages).tolist()
    named: dict[str, int] = {}
    for task, time in zip(plan.tasks, found, strict=True):
        named.setdefault(str(task), time)
    return named


@pytest.mark.parametrize(
    ("size", "cost"), [(10, 5), (15, 6), (20, 7), (5, 2.5), (40, 14), (0, 0), (12, 5.4)]
)
def test_a_curve_is_straight_between_its_points_and_proportional_outside(size, cost):
    assert cost_at(((10, 5), (20, 7)), size) == pytest.approx(cost)


def test_a_number_holds_for_every_stage_alike_the_first_and_the_last_too():
    found = times(pipeline("zb-h1", 3, 4), costs_of({**HAND, "transfer_ms": 1, "loss_ms": 0.5}))
    for stage in range(3):
        assert found[f"{stage}F0"] == 2 * MS and found[f"{stage}U"] == 5 * MS
        assert found[f"{stage}I0"] == 3 * MS and found[f"{stage}W0"] == 4 * MS
    assert found["1C0"] == MS and found["2L0"] == MS // 2


def test_a_list_has_an_entry_for_each_stage():
    costs = costs_of({**HAND, "forward_ms": [1, 7, 9], "transfer_ms": 1})
    found = times(pipeline("1f1b", 3, 4), costs)
    assert [found[f"{stage}F0"] for stage in range(3)] == [MS, 7 * MS, 9 * MS]


def test_a_full_backward_costs_its_two_parts_unless_it_has_a_cost_of_its_own():
    plan = pipeline("1f1b", 2, 2)
    assert times(plan, costs_of({**HAND, "transfer_ms": 0}))["0B0"] == 7 * MS
    assert times(plan, costs_of({**HAND, "transfer_ms": 0, "backward_ms": 6}))["0B0"] == 6 * MS


def test_an_overlap_costs_its_forward_and_its_backward():
    plan = pipeline("dualpipe-v", 2, 4, 2)
    forwards = [10, 20, 30, 40]
    costs = costs_of({**HAND, "forward_ms": forwards, "transfer_ms": 0})
    pairs = [(task, time) for task, time in zip(
        plan.tasks, durations(StepColumns.of_plan(plan), costs), strict=True
    ) if task.kind is Kind.OVERLAP]  # fmt: skip
    assert pairs
    for task, time in pairs:
        assert time == (forwards[task.stage] + 7) * MS


def test_the_backward_of_an_overlap_costs_by_the_rows_of_its_own_micro_batch():
    plan = planned(
        Specification("pipeline", MLP, "2xcpu", batch=6, microbatches=4, schedule="dualpipe-v")
    )
    assert [part.rows for part in plan.parts] == [2, 2, 1, 1]
    columns = StepColumns.of_plan(plan)
    found = durations(columns, even(rows=1), plan.stages)
    # 6 rows through 2 stages, forward and both parts of the backward at 1 ms a row.
    assert [int(found[columns.lane == lane].sum()) for lane in (0, 1)] == [36 * MS, 36 * MS]


def test_without_rows_every_micro_batch_costs_the_same_and_a_backward_over_all_their_sum():
    plan = planned(
        Specification("pipeline", ModelSettings("mlp"), "2xcpu", batch=9, microbatches=4,
                      schedule="split")
    )  # fmt: skip
    found = times(plan, costs_of({**HAND, "transfer_ms": 0}))
    assert [found[f"0F{m}"] for m in range(4)] == [2 * MS] * 4
    assert found["0B"] == 4 * 7 * MS


def test_with_rows_a_micro_batch_costs_in_proportion_to_its_rows():
    plan = planned(
        Specification("pipeline", ModelSettings("mlp"), "2xcpu", batch=9, microbatches=4)
    )
    found = times(plan, costs_of({**HAND, "transfer_ms": 0, "rows": 3}))
    assert found["0F0"] == 2 * MS and found["0F1"] == round(2 * MS * 2 / 3)
    assert found["0U"] == 5 * MS


def test_costs_of_several_sizes_are_read_off_the_line_between_them():
    sizes = [{"rows": 6, "forward_ms": 8, "backward_ms": 8}]
    values = {"rows": 2, "forward_ms": 4, "backward_ms": 4, "step_ms": 0, "sizes": sizes}
    plan = planned(Specification("single", ModelSettings("mlp"), "cpu", batch=4))
    assert times(plan, costs_of({**values, "transfer_ms": 0}))["0F"] == 6 * MS


def test_a_transfer_over_a_link_takes_latency_and_bytes_by_bandwidth():
    plan = planned(Specification("dp", ModelSettings("mlp", width=100, depth=1), "2xcpu", batch=8))
    columns = StepColumns.of_plan(plan)
    link = costs_of({**HAND, "link_latency_us": 10, "link_bandwidth_gb_s": 2})
    found = durations(columns, link)
    moves = [task for task in plan.tasks if task.kind.is_communication]
    assert {task.kind for task in moves} == {
        Kind.SCATTER, Kind.REPLICATE, Kind.GATHER, Kind.REDUCE
    }  # fmt: skip
    for task in moves:
        stays = task.kind is Kind.SCATTER and task.replica == 0
        assert found[task.index] == (0 if stays else 10_000 + task.bytes / 2)


@pytest.mark.parametrize(
    ("kind", "ns"),
    [(Kind.ALL_REDUCE, 6 * (100 + 1000)), (Kind.ALL_GATHER, 3 * (100 + 1000)),
     (Kind.REDUCE_SCATTER, 3 * (100 + 1000)), (Kind.COPY, 100 + 4000)],
)  # fmt: skip
def test_a_collective_uses_a_ring(kind, ns):
    assert Link(100, 1).transfer_ns(kind, 4000, 4) == ns


def test_measured_transfers_of_a_kind_take_precedence_over_the_link():
    values = {**HAND, "transfer_ms": 9, "transfers": {"copy": [[100, 1], [300, 3]]}}
    plan = pipeline("1f1b", 2, 2)
    size = next(task.bytes for task in plan.tasks if task.kind is Kind.COPY)
    assert times(plan, costs_of(values))["1C0"] == round(size / 100 * MS)


def test_over_another_link_nothing_known_of_transfers_is_kept():
    costs = costs_of({**HAND, "transfers": {"copy": [[100, 1]]}}).over(Link.of(1, 1))
    plan = pipeline("1f1b", 2, 2)
    size = next(task.bytes for task in plan.tasks if task.kind is Kind.COPY)
    assert times(plan, costs)["1C0"] == 1000 + size


def test_blocks_share_the_cost_of_their_stage():
    plan = planned(Specification("ddp", ModelSettings("mlp", depth=4), "2xcpu", batch=8))
    found = durations(StepColumns.of_plan(plan), even(8, 8, 4, transfer=1), plan.stages)
    kinds = [(task.kind, time) for task, time in zip(plan.tasks, found.tolist(), strict=True)]
    assert {time for kind, time in kinds if kind is Kind.FORWARD} == {2 * MS}
    assert {time for kind, time in kinds if kind is Kind.BACKWARD} == {3 * MS}


def test_costs_by_block_are_summed_up_for_a_stage_and_taken_apart_for_ranks():
    values = {"by": "block", "forward_ms": [1, 2, 3, 4], "backward_ms": 1, "step_ms": 1}
    costs = costs_of({**values, "transfer_ms": 0})
    model = ModelSettings("mlp", depth=4)
    staged = times(planned(Specification("mp", model, "2xcpu", batch=2), costs), costs)
    assert (staged["0F0"], staged["1F0"], staged["0B0"]) == (3 * MS, 7 * MS, 2 * MS)
    ranks = times(planned(Specification("ddp", model, "2xcpu", batch=2), costs), costs)
    assert [ranks[f"{block}F"] for block in range(4)] == [MS, 2 * MS, 3 * MS, 4 * MS]
    assert ranks["U"] == 4 * MS


def test_every_kind_of_every_strategy_has_a_cost():
    costs = even(3, 2, 1, transfer=1, step_ms=1, loss_ms=1)
    seen = set()
    for strategy in ("single", "dp", "ddp", "mp", "pipeline", "dp-pp"):
        plan = planned(Specification(strategy, ModelSettings("mlp"), "4xcpu", batch=64))
        found = durations(StepColumns.of_plan(plan), costs, plan.stages)
        stays = [task.kind.is_communication and task.bytes == 0 for task in plan.tasks]
        assert ((found == 0) == stays).all()
        seen |= {task.kind for task in plan.tasks}
    assert {Kind.SCATTER, Kind.GATHER, Kind.ALL_REDUCE, Kind.COPY, Kind.STEP} <= seen


@pytest.mark.parametrize(
    ("changes", "schedule", "said"),
    [
        ({"forward_ms": [1, 2, 3]}, "1f1b", "forward_ms has 3 entries, but the plan has 2 stages"),
        (
            {"backward_input_ms": None, "backward_weight_ms": None, "backward_ms": 3},
            "zb-h1",
            "the costs have backward_ms, but not backward_input_ms: the schedule splits",
        ),
        (
            {"transfer_ms": None, "transfers": {"gather": [[1, 1]]}},
            "1f1b",
            "the costs do not give the time of a copy; they need transfer_ms, or",
        ),
    ],
)
def test_costs_that_do_not_fit_a_plan_are_refused_by_name(changes, schedule, said):
    values = {**HAND, "transfer_ms": 1, **changes}
    costs = costs_of({name: value for name, value in values.items() if value is not None})
    plan = pipeline(schedule, 2, 4)
    with pytest.raises(CostError, match=f"^{said}"):
        durations(StepColumns.of_plan(plan), costs, plan.stages)


def test_a_rank_without_rows_computes_nothing():
    plan = planned(Specification("ddp", ModelSettings("mlp", depth=2), "3xcpu", batch=2))
    found = durations(StepColumns.of_plan(plan), even(), plan.stages)
    columns = StepColumns.of_plan(plan)
    idle = (columns.replica == 2) & (columns.kind == KINDS.index(Kind.FORWARD))
    assert idle.any() and not np.any(found[idle])


@pytest.mark.parametrize("ms", [1e12, 1e15])
def test_costs_whose_sum_exceeds_the_clock_are_refused(ms):
    columns = StepColumns.of_plan(pipeline("gpipe", 4, 8))
    costs = costs_of({"forward_ms": ms, "backward_ms": 1, "step_ms": 0, "transfer_ms": 0})
    with pytest.raises(CostError, match="years together; use smaller costs"):
        durations(columns, costs)


@pytest.mark.parametrize(
    ("size", "least", "most"),
    [(10, 5, 5), (20, 7, 7), (15, 5.25, 7), (12, 5, 6), (5, 2.5, 5), (40, 7, 14)],
)
def test_between_sizes_more_rows_cost_no_less_and_each_row_no_more(size, least, most):
    curve = ((10, 5), (20, 7))
    assert least_cost_at(curve, size) == pytest.approx(least)
    assert most_cost_at(curve, size) == pytest.approx(most)
    assert least <= cost_at(curve, size) <= most


BY_BLOCK = {"by": "block", "transfer_ms": 0, "forward_ms": [1, 2, 3, 4], "loss_ms": 0,
            "backward_ms": [5, 6, 7, 8], "backward_input_ms": [0.5, 2, 3, 4],
            "backward_weight_ms": [4, 4, 4, 4], "step_ms": 1}  # fmt: skip
FOUR_BLOCKS = ModelSettings("mlp", width=32, depth=4)


def of_two_stages(schedule: str) -> Plan:
    run = Specification("pipeline", FOUR_BLOCKS, schedule=schedule, stages=2, microbatches=4)
    return planned(run)


def test_a_task_of_several_blocks_costs_less_than_one_of_each():
    plan = of_two_stages("1f1b")
    apart = times(plan, costs_of(BY_BLOCK))
    joined = times(plan, costs_of({**BY_BLOCK, "joined": {"forward_ms": 0.25, "step_ms": 0.5}}))
    assert apart["1F0"] == 7 * MS and joined["1F0"] == 6.75 * MS
    assert apart["1U"] == 2 * MS and joined["1U"] == 1.5 * MS
    assert apart["1B0"] == joined["1B0"] == 15 * MS


def test_what_a_further_block_saves_depends_on_the_rows_and_may_be_below_zero():
    values = {**BY_BLOCK, "rows": 16, "joined": {"forward_ms": [[4, 0.5], [16, -0.25]]}}
    model = ModelSettings("mlp", width=32, depth=4)
    run = Specification("pipeline", model, batch=64, schedule="1f1b", stages=2)
    found = []
    for microbatches in (32, 16, 4, 2):  # of 2, 4, 16 and 32 rows
        plan = planned(run.having(microbatches=microbatches))
        rows = 64 // microbatches
        two_blocks = 7 * MS * rows / 16
        found.append(two_blocks - times(plan, costs_of(values))["1F0"])
    assert found == [0.5 * MS, 0.5 * MS, -0.25 * MS, -0.25 * MS]


def test_a_part_of_a_block_starts_its_optimizer_step_as_the_whole_block_does():
    costs = costs_of({**BY_BLOCK, "joined": {"step_ms": 0.8}})
    plan = planned(Specification("tp", FOUR_BLOCKS, "4xvirtual:cpu", batch=64))
    taken = durations(plan.columns, costs, plan.stages).tolist()
    steps = [ns for task, ns in zip(plan.tasks, taken, strict=True) if task.kind is Kind.STEP]
    assert steps and min(steps) >= 0.8 * MS


def test_backwards_of_further_micro_batches_have_costs_of_their_own():
    costs = costs_of({**BY_BLOCK, "backward_further_ms": [6, 7, 8, 9]})
    found = times(of_two_stages("1f1b"), costs)
    assert [found[f"0B{microbatch}"] for microbatch in range(4)] == [11 * MS, *3 * [13 * MS]]


def test_the_backward_of_an_overlap_adds_to_gradients_too():
    plan = pipeline("dualpipe-v", 2, 4, 2)
    values = {**HAND, "transfer_ms": 0, "backward_ms": 6, "backward_further_ms": 9}
    taken = durations(StepColumns.of_plan(plan), costs_of(values), plan.stages).tolist()
    pairs = [lasts for task, lasts in zip(plan.tasks, taken, strict=True)
             if task.kind is Kind.OVERLAP]  # fmt: skip
    assert pairs and set(pairs) <= {8 * MS, 11 * MS} and 11 * MS in pairs


def test_the_first_stage_leaves_its_backward_for_the_input_to_that_for_the_weights():
    plan = of_two_stages("zb-h1")
    alike = times(plan, costs_of(BY_BLOCK))
    assert alike["0I0"] == 2.5 * MS and alike["0W0"] == (4 + 4) * MS
    found = times(plan, costs_of({**BY_BLOCK, "input": "data"}))
    assert found["0I0"] == 0.5 * MS and found["0W0"] == (4 + 4 + 2) * MS
    assert found["1I0"] == 7 * MS and found["1W0"] == 8 * MS


def test_parts_of_blocks_cost_as_whole_ones_of_fewer_rows_times_a_factor():
    plan = planned(Specification("tp", FOUR_BLOCKS, "2xvirtual:cpu", batch=8))
    task = next(task for task in plan.tasks if task.kind is Kind.FORWARD)
    shares = [share for _, share in plan.stages[0].held]
    sized = {"by": "block", "transfer_ms": 0, "rows": 4, "forward_ms": 3, "backward_ms": 1,
             "step_ms": 1, "sizes": [{"rows": 8, "forward_ms": 4, "backward_ms": 1}]}  # fmt: skip
    alike = times(plan, costs_of(sized))[str(task)]
    # Half of each of two blocks, with all 8 rows: as whole blocks of 4 rows, not as half of 8.
    expected = sum(cost_at(((4, 3), (8, 4)), 8 * share) for share in shares)
    assert alike == pytest.approx(expected * MS) and alike > 5.9 * MS
    slower = times(plan, costs_of({**sized, "divided": {"forward_ms": 1.5}}))[str(task)]
    assert slower == pytest.approx(1.5 * alike)
