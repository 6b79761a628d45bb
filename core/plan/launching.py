"""Checks whether torch's own engine can run a job under torchrun on the given hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.counts import lanes_text, stages_text
from core.errors import PlanError
from core.message import Message, Text, message
from core.option import listed
from core.plan.faults import faults_text
from core.plan.pipeline.options import BALANCE, CHUNKS, SCHEDULE
from core.plan.plan import Lane, Plan, Role
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES

LAUNCHED = tuple(name for name, one in STRATEGIES.items() if one.torch_engine)
TORCH_SCHEDULES = tuple(name for name, one in SCHEDULES.items() if one.torch_name)


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of a job, as in torchrun's options; `endpoint` is HOST:PORT of node 0."""

    nodes: int = 1
    node: int = 0
    endpoint: str = ""


def check_launch(specification: Specification, lanes: list[Lane], hosts: Hosts, out: str) -> None:
    """Raise PlanError for the first setting that a job under torchrun cannot have.

    `specification` must have its defaults filled in, as by `with_defaults`.
    """
    for problem in _problems_of_run(specification, lanes):
        raise PlanError(problem)
    for problem in _problems_of_hosts(hosts, len(lanes), out):
        raise PlanError(problem)


def _problems_of_run(specification: Specification, lanes: list[Lane]) -> Iterator[Message]:
    """Yield a text for each setting of the run that torchrun's jobs cannot have."""
    flag = "--launcher torchrun"
    schedule = specification[SCHEDULE]
    faults = faults_text(specification)
    if specification.strategy not in LAUNCHED:
        yield message(
            "--strategy {strategy}: {flag} runs {accepted}",
            strategy=specification.strategy,
            flag=flag,
            accepted=listed(LAUNCHED, "and"),
        )
    if schedule is not None and schedule not in TORCH_SCHEDULES:
        yield message(
            "--schedule {schedule}: {flag} runs only torch's own schedules, {accepted}",
            schedule=schedule,
            flag=flag,
            accepted=listed(TORCH_SCHEDULES, "and"),
        )
    if lanes[0].is_virtual:
        yield message(
            "--devices {devices}: {flag} is for real lanes, such as 2xcpu",
            devices=specification.devices,
            flag=flag,
        )
    if faults:
        yield message("{faults}: faults can only be injected into virtual lanes", faults=faults)
    if specification[BALANCE]:
        yield message("--balance: {flag} cuts by --borders or equal parameters", flag=flag)
    if specification.gradients is not None:
        yield message(
            "--gradients {gradients}: {flag} does not save gradients",
            gradients=specification.gradients,
            flag=flag,
        )
    if specification.blocks:
        yield message("--blocks: {flag} records the blocks by itself", flag=flag)
    if specification.warmup < 1:
        yield message(
            "--warmup 0: {flag} needs 1 or more, because the recorder's first step is warm-up",
            flag=flag,
        )


def _problems_of_hosts(hosts: Hosts, lanes: int, out: str) -> Iterator[Message]:
    """Yield a text for each option of the hosts that is wrong for a number of lanes."""
    endpoint = hosts.endpoint
    if hosts.nodes < 1 or lanes % hosts.nodes != 0:
        yield message(
            "--nnodes {nodes}: use a number of hosts that divides {lanes}",
            nodes=hosts.nodes,
            lanes=lanes_text(lanes),
        )
    if not 0 <= hosts.node < hosts.nodes:
        yield message("--node-rank {node}: use 0 to {last}", node=hosts.node, last=hosts.nodes - 1)
    needs_endpoint = hosts.nodes > 1 or bool(endpoint)
    if needs_endpoint and not re.fullmatch(r"[^\s:]+:\d{1,5}", endpoint):
        yield message("--rdzv-endpoint {endpoint!r}: use HOST:PORT of node 0", endpoint=endpoint)
    if hosts.nodes > 1 and not out:
        yield message(
            "--record: several hosts need a FOLDER that all can access, or the address that "
            "`listen` prints"
        )


def check_plans(specification: Specification, plans: Iterable[Plan]) -> None:
    """Raise PlanError for plans that torch's schedules would run in another way, or refuse."""
    if specification[SCHEDULE] is None:
        return
    found = tuple(plans)
    for plan in found:
        _check_stages(specification, plan)
    for problem in _problems_of_microbatches(found):
        raise PlanError(problem)


def _check_stages(specification: Specification, plan: Plan) -> None:
    """Raise PlanError unless every lane holds the number of stages that the schedule needs."""
    name = specification[SCHEDULE]
    assert name is not None
    schedule = SCHEDULES[name]
    lanes = sum(lane.role is Role.COMPUTE for lane in plan.lanes)
    needed = schedule.stage_count(lanes, specification[CHUNKS] or schedule.chunks)
    if len(plan.stages) != needed:
        raise PlanError(
            message(
                "{stages} on {lanes}: {flag} runs {schedule} with {needed}",
                stages=stages_text(len(plan.stages)),
                lanes=lanes_text(lanes),
                flag="--launcher torchrun",
                schedule=name,
                needed=stages_text(needed),
            )
        )


def _problems_of_microbatches(plans: Sequence[Plan]) -> Iterator[Message]:
    """Yield a text for micro-batches of several sizes, and for several numbers of them.

    torch's schedules weight all micro-batches equally, and have one number of them for all steps.
    """
    sizes: set[int] = set()
    for plan in plans:
        sizes.update(part.rows for part in plan.parts)
    counts = {len(plan.parts) for plan in plans}
    if len(sizes) > 1:
        yield message(
            "micro-batches of {sizes} rows: torch's schedules need one size; let "
            "--microbatches divide --batch, and --batch --data",
            sizes=_numbers(sizes),
        )
    if len(counts) > 1:
        yield message(
            "steps of {counts} micro-batches: torch's schedules need one number; let --batch "
            "divide --data",
            counts=_numbers(counts),
        )


def _numbers(values: Iterable[int]) -> Text:
    """Return `2 and 3`."""
    return listed([str(value) for value in sorted(values)], "and")
