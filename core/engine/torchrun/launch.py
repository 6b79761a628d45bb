"""Starts torchrun for a strategy, and opens what its ranks have recorded. Without torch."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from core.engine.messages import Ended, Outcome
from core.engine.without_torch import found_without_torch
from core.errors import PlanError
from core.option import listed
from core.plain import say
from core.plan.faults import faults_text
from core.plan.pipeline.options import BALANCE, SCHEDULE
from core.plan.plan import Lane, Plan
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.process.child import signal_name
from core.process.program import run_module
from core.recorder.wire import TOKEN_VARIABLE, is_address, parse_address
from core.recording.recording import open_recording
from core.trace.trace import Trace

RANK = "core.engine.torchrun.rank"
LAUNCHED = tuple(name for name, one in STRATEGIES.items() if one.torch_engine)
TORCH_SCHEDULES = tuple(name for name, one in SCHEDULES.items() if one.torch_name)
NOT_RECORDED = "bubblescope: not all was recorded: "
# What torchrun and its processes print: a rank's own line (rank.py), then torchrun's summary of
# what has failed. `_LOST` is in what gloo says of a rank that went away, whoever was at fault.
_REASON = re.compile(r"bubblescope: (rank (\d+): .*)")
_LOST = re.compile("by peer|Broken pipe")
# Once a process has failed torchrun ends the others so: of these it says nothing.
_ENDED_BY_TORCHRUN = str(-signal.SIGTERM)
_FAILED = re.compile(r"rank\s*: (\d+) .*?exitcode\s*: (-?\d+) \(pid: (\d+)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of a job, by torchrun's own options; `endpoint` is HOST:PORT of node 0."""

    nodes: int = 1
    node: int = 0
    endpoint: str = ""


@dataclass(frozen=True, slots=True)
class LaunchSettings:
    """The argument of each process. `lifeline` is a named pipe that closes with the launcher."""

    specification: Specification
    out: str
    lifeline: str
    nodes: int


def title_of(specification: Specification, model: str) -> str:
    """What a recorded job of a specification with its defaults is called."""
    schedule = f" {name}" if (name := specification[SCHEDULE]) else ""
    return f"{specification.strategy}{schedule} of {model}, torchrun"


def check_launch(specification: Specification, lanes: list[Lane], hosts: Hosts, out: str) -> None:
    """Raise PlanError, naming the first value that a job under torchrun cannot have.

    `specification` has its defaults: a schedule where its strategy takes one, none elsewhere.
    """
    s = specification
    flag = "--launcher torchrun"
    schedule, endpoint = s[SCHEDULE], hosts.endpoint
    # All are looked at before one is named, so none may fail itself: hence max(1, nodes) below.
    problems = {
        f"--strategy {s.strategy}: {flag} runs {listed(LAUNCHED, 'and')}": (
            s.strategy not in LAUNCHED
        ),
        f"--schedule {schedule}: {flag} runs what torch has, {listed(TORCH_SCHEDULES, 'and')}": (
            schedule is not None and schedule not in TORCH_SCHEDULES
        ),
        f"--devices {s.devices}: {flag} is for real lanes, such as 2xcpu": lanes[0].is_virtual,
        f"{faults_text(s)}: faults are put into virtual lanes alone": bool(faults_text(s)),
        f"--balance: {flag} cuts by --borders or equal parameters": bool(s[BALANCE]),
        f"--gradients {s.gradients}: {flag} keeps none": s.gradients is not None,
        f"--blocks: {flag} records the blocks by itself": s.blocks,
        f"--warmup 0: {flag} needs 1 or more, as the recorder's first step is no measure": (
            s.warmup < 1
        ),
        f"--nnodes {hosts.nodes}: use a number of hosts that divides {len(lanes)} lanes": (
            hosts.nodes < 1 or len(lanes) % max(1, hosts.nodes) != 0
        ),
        f"--node-rank {hosts.node}: use 0 to {hosts.nodes - 1}": (
            not 0 <= hosts.node < hosts.nodes
        ),
        f"--rdzv-endpoint {endpoint!r}: use HOST:PORT of node 0": (
            bool(hosts.nodes > 1 or endpoint) and not re.fullmatch(r"[^\s:]+:\d{1,5}", endpoint)
        ),
        "--record: several hosts need a FOLDER that all see, or what `listen` shows": (
            hosts.nodes > 1 and not out
        ),
    }
    for text, is_there in problems.items():
        if is_there:
            raise PlanError(text)


def check_parts(specification: Specification, plans: Iterable[Plan]) -> None:
    """Raise PlanError for micro-batches that torch's schedules would weight wrongly or not take."""
    sizes = sorted({part.rows for plan in plans for part in plan.parts})
    if specification[SCHEDULE] is not None and len(sizes) > 1:
        raise PlanError(
            f"micro-batches of {listed([str(size) for size in sizes], 'and')} rows: torch's "
            "schedules need one size; let --microbatches divide --batch, and --batch --data"
        )


def launch(
    specification: Specification, lanes: list[Lane], hosts: Hosts, out: str, verbose: bool
) -> tuple[Trace | None, Ended]:
    """Run a job under torchrun and read what it recorded into the folder `out`, if one is named.

    The trace is None on hosts but the first, for a listener, and where nothing was recorded.
    """
    # For the lifeline's pipe and torchrun's logs; also for recordings,
    # where they are read and dropped.
    with tempfile.TemporaryDirectory(prefix="bubblescope-") as own:
        folder, variables = str(Path(out or Path(own, "ranks")).absolute()), _variables(hosts)
        if is_address(out):
            # Everybody on the machine can list the words of the processes that torchrun starts.
            address = parse_address(out)
            folder = address.without_token
            variables[TOKEN_VARIABLE] = address.token
        settings = LaunchSettings(specification, folder, str(Path(own, "lifeline")), hosts.nodes)
        command = _command(settings, len(lanes), hosts, own)
        ended = _run(command, settings.lifeline, variables, verbose)
        if hosts.node or is_address(folder) or not any(Path(folder).glob("rank-*.arrow")):
            return None, ended
        return open_recording(folder).trace, ended


def _command(settings: LaunchSettings, lanes: int, hosts: Hosts, own: str) -> list[str]:
    """Torchrun and what it runs, without the interpreter."""
    meet = ["--standalone"]
    if hosts.nodes > 1:
        meet = [
            f"--nnodes={hosts.nodes}", f"--node-rank={hosts.node}", "--rdzv-backend=c10d",
            f"--rdzv-endpoint={hosts.endpoint}", "--rdzv-id=bubblescope",
            f"--rdzv-conf=is_host={hosts.node == 0}", f"--local-addr={_address(hosts.endpoint)}",
        ]  # fmt: skip
    each = f"--nproc-per-node={lanes // hosts.nodes}"
    argument = json.dumps(asdict(settings))
    return ["torch.distributed.run", *meet, each, f"--log-dir={own}", "-m", RANK, argument]


def _address(endpoint: str) -> str:
    """This host's address towards another: its name may lead to one that the others cannot reach.

    Raises PlanError if there is no way there.
    """
    host, _, port = endpoint.rpartition(":")
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:  # which sends nothing
            # Which network interface leads there is the kernel's to say:
            # connecting a datagram socket asks it.
            way.connect((host, int(port)))
            return str(way.getsockname()[0])
    except OSError as error:
        raise PlanError(f"--rdzv-endpoint {endpoint}: {error.strerror or error}") from error


def _run(command: list[str], lifeline: str, variables: Mapping[str, str], verbose: bool) -> Ended:
    """Run torchrun until it ends."""
    lines: list[str] = []

    def on_line(line: str) -> None:
        lines.append(line)
        if verbose or line.startswith(NOT_RECORDED):
            say(line.rstrip("\n"), sys.stderr)

    try:
        code = run_module(command, lifeline, variables, on_line)
    except KeyboardInterrupt:
        return Ended(Outcome.STOPPED, "stopped; what was recorded is kept")
    return (
        Ended(Outcome.FINISHED)
        if code == 0
        else Ended(Outcome.FAILED, reason_of("".join(lines), code))
    )


def _variables(hosts: Hosts) -> dict[str, str]:
    """Environment variables for gloo: processes of one host meet on the loopback interface."""
    if hosts.nodes > 1:
        return {}
    return {"GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo"}


def reason_of(printed: str, status: int) -> str:
    """Why a job failed: what a rank said, or how torchrun found that it had ended.

    A rank that reports no more than the loss of another one is the least certain reason.
    """
    reasons = {found[2]: found[1] for found in _REASON.finditer(printed)}
    first_hand = [text for text in reasons.values() if not _LOST.search(text)]
    failed = list(_FAILED.finditer(printed))  # torchrun names last what it saw first
    ended = [
        _ended(one)
        for one in failed
        if one[1] not in reasons and (one is failed[-1] or one[2] != _ENDED_BY_TORCHRUN)
    ]
    *_, last = ["", *(line.strip() for line in printed.splitlines() if line.strip())]
    other = found_without_torch(printed)
    other = other or f"torchrun ended with status {status}" + (f": {last}" if last else "")
    # From the least to the most telling, of which the last that there is counts:
    #     torchrun's status, a rank that lost another, how a process ended, a rank's own reason
    return [other, *list(reasons.values())[:1], *ended[-1:], *first_hand[:1]][-1]


def _ended(failed: re.Match[str]) -> str:
    rank, code, pid = failed[1], int(failed[2]), failed[3]
    by = f"was ended by {signal_name(-code)}" if code < 0 else ""
    return f"rank {rank} (process {pid}) {by or f'ended with status {code}'}"
