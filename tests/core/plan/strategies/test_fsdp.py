from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.models.catalogue import ModelSettings
from core.models.description import Block, ModelDescription
from core.plan.division import Collective
from core.plan.plan import Job, Lane, Role
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies.fsdp import collectives, complete
from core.plan.task import Kind, Payload
from tests.core.helpers import plan_of

MOVED = {
    (Kind.ALL_GATHER, Payload.PARAMETERS): "G",
    (Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN): "g",
    (Kind.REDUCE_SCATTER, Payload.PARAMETER_GRADIENTS): "R",
}


def model_of(counts):
    """A model whose blocks have so many parameters."""
    blocks = tuple(
        Block(f"block{index}", (("weight", count),) if count else (), 4)
        for index, count in enumerate(counts)
    )
    return ModelDescription("invented", blocks, 4)


def job_of(counts, ranks, rows=8):
    lanes = tuple(Lane(index, f"cpu:{index}", "cpu", cores=1) for index in range(ranks))
    return Job(model_of(counts), lanes, rows, SCHEDULES["1f1b"])


def planned(counts, ranks=2):
    job = job_of(counts, ranks)
    return complete(job, collectives(job))


def on_the_wire(plan, rank=0):
    """A rank's collectives in order, as `G0 g0 R0`."""
    moved = [task for task in plan.tasks if task.kind.is_collective and task.replica == rank]
    return " ".join(f"{MOVED[task.kind, task.payload]}{task.block}" for task in moved)


def test_the_collectives_are_in_the_order_of_the_picture():
    assert on_the_wire(planned([3, 3, 3])) == "G0 G1 G2 g2 g1 R2 g0 R1 R0"


def test_a_block_without_parameters_moves_nothing():
    assert on_the_wire(planned([3, 0, 3])) == "G0 G2 g2 g0 R2 R0"


def test_frozen_blocks_are_gathered_but_not_reduced():
    """The passes go back to the first trained block, which requests the block before it in vain."""
    job = job_of([3, 3, 3, 3], 2)
    names = [("weight",), ("weight",), (), ("weight",)]
    pairs = zip(job.model.blocks, names, strict=True)
    blocks = tuple(replace(block, frozen=frozen) for block, frozen in pairs)
    job = replace(job, model=replace(job.model, blocks=blocks))
    plan = complete(job, collectives(job))
    assert on_the_wire(plan) == "G0 G1 G2 G3 g3 g2 g1 R2"


def test_one_rank_alone_moves_nothing():
    plan = planned([3, 3], ranks=1)
    assert on_the_wire(plan) == ""
    assert [str(task) for task in plan.tasks] == ["0F", "1F", "L", "1B", "0B", "U"]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7), st.integers(2, 4))
def test_every_pass_waits_for_its_blocks_parameters_and_the_step_for_every_reduction(counts, ranks):
    plan = planned(counts, ranks)
    tasks = plan.tasks
    for task in tasks:
        waits_for = [tasks[other] for other in task.after]
        moved = [other.payload for other in waits_for if other.block == task.block]
        has_parameters = task.block is not None and counts[task.block] > 0
        if task.kind is Kind.FORWARD:
            assert (Payload.PARAMETERS in moved) == has_parameters
        if task.kind is Kind.BACKWARD:
            assert (Payload.PARAMETERS_AGAIN in moved) == has_parameters
        if task.kind is Kind.STEP:
            reduced = [other for other in waits_for if other.kind is Kind.REDUCE_SCATTER]
            assert len(reduced) == sum(count > 0 for count in counts)
        assert all(other.replica == task.replica for other in waits_for)
    gathered = [task for task in tasks if task.payload is Payload.PARAMETERS]
    assert sum(task.bytes for task in gathered) == ranks * plan_bytes(counts)
    for task in tasks:
        assert (plan.lanes[task.lane].role is Role.COMMUNICATION) == task.kind.is_collective


def plan_bytes(counts):
    return 4 * sum(counts)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=7))
def test_at_most_two_blocks_are_whole_at_a_time(counts):
    whole, most = set(), 0
    for task in planned(counts).tasks:
        if task.replica == 0 and task.kind is Kind.ALL_GATHER:
            whole.add(task.block)
        elif task.replica == 0 and task.kind in (Kind.FORWARD, Kind.BACKWARD):
            whole.discard(task.block)
        most = max(most, len(whole))
    assert most == 2 and not whole


def test_collectives_that_torch_reports_replace_the_expected_ones():
    # The first block is frozen: torch gathers it for the backward pass, and never reduces it.
    reported = tuple(
        Collective(kind, payload, (f"{block}.weight",))
        for kind, payload, block in (
            (Kind.ALL_GATHER, Payload.PARAMETERS, 0),
            (Kind.ALL_GATHER, Payload.PARAMETERS, 1),
            (Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN, 1),
            (Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN, 0),
            (Kind.REDUCE_SCATTER, Payload.PARAMETER_GRADIENTS, 1),
        )
    )
    assert on_the_wire(complete(job_of([3, 3], 2), reported)) == "G0 G1 g1 g0 R1"


def test_rows_are_shared_unpadded_and_a_rank_without_rows_takes_part():
    specification = Specification("fsdp", ModelSettings("toymodel"), "3xcpu", batch=2)
    plan = plan_of(specification)
    assert [part.rows for part in plan.parts] == [1, 1, 0]
    assert {on_the_wire(plan, rank) for rank in range(3)} == {"G0 G1 g1 g0 R1 R0"}
