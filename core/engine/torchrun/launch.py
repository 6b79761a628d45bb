"""Starts torchrun for a strategy and opens its ranks' recordings. Does not import torch."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from core.engine.messages import Ended, Outcome
from core.engine.without_torch import found_without_torch
from core.errors import PlanError
from core.message import Message, Text, message
from core.plain import say
from core.plan.launching import Hosts
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import Lane
from core.plan.specification import Specification
from core.process.child import exit_text, signal_name
from core.process.program import run_module
from core.recorder.wire import TOKEN_VARIABLE, is_address, parse_address
from core.recording.recording import open_recording
from core.trace.trace import Trace

RANK = "core.engine.torchrun.start"
NOT_RECORDED = (
    "bubblescope: not all was recorded: ",
    "bubblescope: this process is not recorded: ",
)
"""Beginnings of the recorder's messages about missing parts of a recording."""
# Ranks print a line when they fail (rank.py); torchrun then prints a summary of the failures.
_REASON = re.compile(r"bubblescope: (rank (\d+): .*)")
# gloo's messages when another rank is gone, regardless of which rank failed first.
_LOST = re.compile("by peer|Broken pipe")
# When a process has failed, torchrun ends the others with this signal.
_ENDED_BY_TORCHRUN = str(-signal.SIGTERM)
_FAILED = re.compile(r"rank\s*: (\d+) .*?exitcode\s*: (-?\d+) \(pid: (\d+)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LaunchSettings:
    """The argument of each process. The named pipe `lifeline` closes when the launcher ends."""

    specification: Specification
    out: str
    lifeline: str
    nodes: int


def job_title(specification: Specification, model: str) -> str:
    """Return the name of a recorded job; the specification has its defaults."""
    schedule = specification[SCHEDULE]
    strategy = f"{specification.strategy} {schedule}" if schedule else specification.strategy
    return f"{strategy} of {model}, torchrun"


def launch(
    specification: Specification, lanes: list[Lane], hosts: Hosts, out: str, verbose: bool
) -> tuple[Trace | None, Ended]:
    """Run a job under torchrun and read its recording.

    `out` is a folder, a listener's address, or "" for a temporary folder. The trace is None on all
    hosts but the first, for a listener, and if nothing was recorded.
    """

    def on_line(line: str) -> None:
        if verbose or line.startswith(NOT_RECORDED):
            say(line.rstrip("\n"), sys.stderr)

    with tempfile.TemporaryDirectory(prefix="bubblescope-") as own:
        folder = out or str(Path(own, "ranks"))
        out = folder if is_address(folder) else str(Path(folder).absolute())
        ended = run_torchrun(
            specification=specification,
            lanes=len(lanes),
            hosts=hosts,
            out=out,
            on_line=on_line,
        )
        if hosts.node or is_address(folder):
            return None, ended
        if not any(Path(folder).glob("rank-*.arrow")):
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
    """Run torchrun until it ends, `stop` is set, or Ctrl+C is pressed.

    Each rank records to `out`, an absolute folder or a listener's address. `on_line` receives each
    printed line, on another thread. Raise OSError if torchrun cannot be started.
    """
    lines: list[str] = []

    def keep(line: str) -> None:
        lines.append(line)
        on_line(line)

    variables = _variables(hosts)
    if is_address(out):
        # All users of the machine can read the arguments of the processes that torchrun starts.
        address = parse_address(out)
        out = address.without_token
        variables[TOKEN_VARIABLE] = address.token
    # The folder holds the lifeline's pipe and torchrun's logs.
    with tempfile.TemporaryDirectory(prefix="bubblescope-") as own:
        settings = LaunchSettings(
            specification=specification,
            out=out,
            lifeline=str(Path(own, "lifeline")),
            nodes=hosts.nodes,
        )
        command = _command(settings, lanes, hosts, own)
        try:
            code = run_module(
                words=command,
                lifeline=settings.lifeline,
                variables=variables,
                listener=keep,
                stop=stop,
            )
        except KeyboardInterrupt:
            return Ended(Outcome.STOPPED, message("stopped; the recording so far is kept"))
    if stop is not None and stop.is_set():
        return Ended(Outcome.STOPPED)
    if code == 0:
        return Ended(Outcome.FINISHED)
    return Ended(Outcome.FAILED, reason_of("".join(lines), code))


def _command(settings: LaunchSettings, lanes: int, hosts: Hosts, own: str) -> list[str]:
    """Return the module of torchrun and its arguments, without the interpreter."""
    meet = ["--standalone"]
    if hosts.nodes > 1:
        meet = [
            f"--nnodes={hosts.nodes}",
            f"--node-rank={hosts.node}",
            "--rdzv-backend=c10d",
            f"--rdzv-endpoint={hosts.endpoint}",
            "--rdzv-id=bubblescope",
            f"--rdzv-conf=is_host={hosts.node == 0}",
            f"--local-addr={_address(hosts.endpoint)}",
        ]
    each = f"--nproc-per-node={lanes // hosts.nodes}"
    argument = json.dumps(asdict(settings))
    return ["torch.distributed.run", *meet, each, f"--log-dir={own}", "-m", RANK, argument]


def _address(endpoint: str) -> str:
    """Return the address from which this host reaches `endpoint`, HOST:PORT.

    The address of this host's name may be unreachable for the other hosts. Raise PlanError if there
    is no route.
    """
    host, _, port = endpoint.rpartition(":")
    try:
        # Connecting a datagram socket sends nothing; the kernel only chooses the interface.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((host, int(port)))
            return str(probe.getsockname()[0])
    except OSError as error:
        reason = error.strerror or error
        raise PlanError(
            message("--rdzv-endpoint {endpoint}: {reason}", endpoint=endpoint, reason=reason)
        ) from error


def _variables(hosts: Hosts) -> dict[str, str]:
    """Return variables for gloo: ranks of one host connect over the loopback interface."""
    if hosts.nodes > 1:
        return {}
    return {"GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo"}


def reason_of(printed: str, status: int) -> Text:
    """Return the reason why a job failed, given everything printed and torchrun's status.

    A line printed by a rank is preferred; next is torchrun's report of how a process ended; last is
    a rank's report that it has lost another rank.
    """
    reasons = {found[2]: found[1] for found in _REASON.finditer(printed)}
    first_hand = [text for text in reasons.values() if not _LOST.search(text)]
    if first_hand:
        return first_hand[0]
    ended = _last_end(printed, reasons)
    if ended:
        return ended
    if reasons:
        return next(iter(reasons.values()))
    return found_without_torch(printed) or _torchrun_end(printed, status)


def _last_end(printed: str, reasons: Mapping[str, str]) -> Text:
    """Describe the end of a failed rank without a reason, if possible the first; "" if none."""
    ended: Text = ""
    failures = list(_FAILED.finditer(printed))
    # torchrun's summary ends with the failure that it observed first.
    for failure in failures:
        is_cause = failure is failures[-1] or failure[2] != _ENDED_BY_TORCHRUN
        if is_cause and failure[1] not in reasons:
            ended = _ended(failure)
    return ended


def _torchrun_end(printed: str, status: int) -> Message:
    """Describe the end of torchrun, with the last line of text that was printed."""
    if status < 0:
        return message("torchrun was ended by {signal}", signal=signal_name(-status))
    lines = [line.strip() for line in printed.splitlines() if re.search(r"\w", line)]
    if not lines:
        return message("torchrun ended with status {status}", status=status)
    return message("torchrun ended with status {status}: {line}", status=status, line=lines[-1])


def _ended(failure: re.Match[str]) -> Message:
    rank = failure[1]
    code = int(failure[2])
    pid = failure[3]
    return message("rank {rank} (process {pid}) {how}", rank=rank, pid=pid, how=exit_text(code))
