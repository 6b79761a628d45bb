"""Checks jobs for torchrun: whether torch's own engine can run them on the given hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.counts import lanes_text
from core.errors import PlanError
from core.message import message
from core.option import listed
from core.plan.faults import faults_text
from core.plan.pipeline.options import BALANCE, SCHEDULE
from core.plan.plan import Lane, Plan
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
    """Raise PlanError with the first value that a job under torchrun cannot have.

    `specification` has its defaults: a schedule if its strategy takes one, else None.
    """
    s = specification
    flag = "--launcher torchrun"
    schedule = s[SCHEDULE]
    endpoint = hosts.endpoint
    # All conditions are evaluated before one is reported, so none may fail: max(1, nodes) below.
    problems = {
        message(
            "--strategy {strategy}: {flag} runs {accepted}",
            strategy=s.strategy,
            flag=flag,
            accepted=listed(LAUNCHED, "and"),
        ): (s.strategy not in LAUNCHED),
        message(
            "--schedule {schedule}: {flag} runs only torch's own schedules, {accepted}",
            schedule=schedule,
            flag=flag,
            accepted=listed(TORCH_SCHEDULES, "and"),
        ): (schedule is not None and schedule not in TORCH_SCHEDULES),
        message(
            "--devices {devices}: {flag} is for real lanes, such as 2xcpu",
            devices=s.devices,
            flag=flag,
        ): lanes[0].is_virtual,
        message(
            "{faults}: faults can only be injected into virtual lanes", faults=faults_text(s)
        ): bool(faults_text(s)),
        message("--balance: {flag} cuts by --borders or equal parameters", flag=flag): bool(
            s[BALANCE]
        ),
        message(
            "--gradients {gradients}: {flag} does not save gradients",
            gradients=s.gradients,
            flag=flag,
        ): s.gradients is not None,
        message("--blocks: {flag} records the blocks by itself", flag=flag): s.blocks,
        message(
            "--warmup 0: {flag} needs 1 or more, because the recorder's first step is warm-up",
            flag=flag,
        ): (s.warmup < 1),
        message(
            "--nnodes {nodes}: use a number of hosts that divides {lanes}",
            nodes=hosts.nodes,
            lanes=lanes_text(len(lanes)),
        ): (hosts.nodes < 1 or len(lanes) % max(1, hosts.nodes) != 0),
        message("--node-rank {node}: use 0 to {last}", node=hosts.node, last=hosts.nodes - 1): (
            not 0 <= hosts.node < hosts.nodes
        ),
        message("--rdzv-endpoint {endpoint!r}: use HOST:PORT of node 0", endpoint=endpoint): (
            bool(hosts.nodes > 1 or endpoint) and not re.fullmatch(r"[^\s:]+:\d{1,5}", endpoint)
        ),
        message(
            "--record: several hosts need a FOLDER that all can access, or the address that "
            "`listen` prints"
        ): (hosts.nodes > 1 and not out),
    }
    for text, is_there in problems.items():
        if is_there:
            raise PlanError(text)


def check_parts(specification: Specification, plans: Iterable[Plan]) -> None:
    """Raise PlanError for micro-batches that torch's schedules would weight wrongly or refuse."""
    distinct: set[int] = set()
    for plan in plans:
        distinct.update(part.rows for part in plan.parts)
    if specification[SCHEDULE] is not None and len(distinct) > 1:
        sizes = [str(size) for size in sorted(distinct)]
        raise PlanError(
            message(
                "micro-batches of {sizes} rows: torch's schedules need one size; let "
                "--microbatches divide --batch, and --batch --data",
                sizes=listed(sizes, "and"),
            )
        )
