"""Starts torchrun for a strategy, and opens what its ranks have recorded. Without torch."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from core.engine.messages import Ended, Outcome
from core.engine.without_torch import found_without_torch
from core.errors import PlanError
from core.plain import say
from core.plan.launching import Hosts
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import Lane
from core.plan.specification import Specification
from core.process.child import signal_name
from core.process.program import run_module
from core.recorder.wire import TOKEN_VARIABLE, is_address, parse_address
from core.recording.recording import open_recording
from core.trace.trace import Trace

RANK = "core.engine.torchrun.rank"
NOT_RECORDED = "bubblescope: not all was recorded: "
# What torchrun and its processes print: a rank's own line (rank.py), then torchrun's summary of
# what has failed. `_LOST` is in what gloo says of a rank that went away, whoever was at fault.
_REASON = re.compile(r"bubblescope: (rank (\d+): .*)")
_LOST = re.compile("by peer|Broken pipe")
# Once a process has failed torchrun ends the others so: of these it says nothing.
_ENDED_BY_TORCHRUN = str(-signal.SIGTERM)
_FAILED = re.compile(r"rank\s*: (\d+) .*?exitcode\s*: (-?\d+) \(pid: (\d+)\)", re.DOTALL)


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


def launch(
    specification: Specification, lanes: list[Lane], hosts: Hosts, out: str, verbose: bool
) -> tuple[Trace | None, Ended]:
    """Run a job under torchrun and read what it recorded into the folder `out`, if one is named.

    The trace is None on hosts but the first, for a listener, and where nothing was recorded.
    """

    def on_line(line: str) -> None:
        if verbose or line.startswith(NOT_RECORDED):
            say(line.rstrip("\n"), sys.stderr)

    with tempfile.TemporaryDirectory(prefix="bubblescope-") as own:
        # Without a name, recordings are read and dropped.
        folder = out or str(Path(own, "ranks"))
        out = folder if is_address(folder) else str(Path(folder).absolute())
        ended = run_torchrun(specification, len(lanes), hosts, out, on_line)
        if hosts.node or is_address(folder) or not any(Path(folder).glob("rank-*.arrow")):
            return None, ended
        return open_recording(folder).trace, ended


def run_torchrun(
    specification: Specification,
    lanes: int,
    hosts: Hosts,
    out: str,
    on_line: Callable[[str], None],
    stop: threading.Event | None = None,
) -> Ended:
    """Run torchrun until it ends, is stopped, or Ctrl+C is pressed.

    Each rank records to `out`, an absolute folder or a listener's address. `on_line` gets each line
    that is printed, on another thread.
    """
    lines: list[str] = []

    def keep(line: str) -> None:
        lines.append(line)
        on_line(line)

    variables = _variables(hosts)
    if is_address(out):
        # Everybody on the machine can list the words of the processes that torchrun starts.
        address = parse_address(out)
        out, variables[TOKEN_VARIABLE] = address.without_token, address.token
    # For the lifeline's pipe and torchrun's logs.
    with tempfile.TemporaryDirectory(prefix="bubblescope-") as own:
        settings = LaunchSettings(specification, out, str(Path(own, "lifeline")), hosts.nodes)
        command = _command(settings, lanes, hosts, own)
        try:
            code = run_module(command, settings.lifeline, variables, keep, stop)
        except KeyboardInterrupt:
            return Ended(Outcome.STOPPED, "stopped; what was recorded is kept")
    if stop is not None and stop.is_set():
        return Ended(Outcome.STOPPED)
    if code == 0:
        return Ended(Outcome.FINISHED)
    return Ended(Outcome.FAILED, reason_of("".join(lines), code))


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
