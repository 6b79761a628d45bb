"""The measurements of a check of the machine, as plain values. Durations are in ns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, get_args

from core.message import Text, text_from_plain, text_to_plain
from core.typed import typed

UNKNOWN = "unknown"
"""Value of a setting that the system does not report."""


@dataclass(frozen=True, slots=True)
class StampCost:
    """The time that a timestamp takes on a device: the median and the 99th percentile."""

    device: str
    median: float
    slow: float


@dataclass(frozen=True, slots=True)
class ClockWidth:
    """The half-width of the uncertainty with which a device's clock is mapped to the host's."""

    device: str
    half_width: int


@dataclass(frozen=True, slots=True)
class Overlap:
    """Equal work on two lanes: the duration on one lane alone, and on both at once."""

    lanes: str
    alone: int
    together: int


@dataclass(frozen=True, slots=True)
class ProfilerDifference:
    """Differences between a span and the profiler's record of its kernel, in ns.

    `start` and `end` are medians over `kernels` kernels. `half_width` is the uncertainty of the
    device's clock.
    """

    device: str
    start: float
    end: float
    half_width: int
    kernels: int


@dataclass(frozen=True, slots=True)
class RecordingCost:
    """The duration of a training step without and with recording; `scatter` is without it."""

    device: str
    plain: float
    recorded: float
    scatter: float


@dataclass(frozen=True, slots=True)
class GradientError:
    """The largest relative error of a strategy's gradients and losses; `allowed` is rounding."""

    strategy: str
    error: float
    allowed: float


@dataclass(frozen=True, slots=True)
class SpanOrder:
    """The order of a run's spans against its plan.

    `early` is the most ns by which a span starts before the end of a span that it has to wait for.
    `uncertain` is the half-width in ns of the uncertainty of the devices' clocks.
    """

    run: str
    spans: int
    early: int
    uncertain: int


@dataclass(frozen=True, slots=True)
class PeerStep:
    """Median ns of a step on Bubblescope's engine and on `peer`, torch's own.

    `scatter` is the median deviation from the median, of the engine that scatters more.
    """

    run: str
    peer: str
    ours: float
    theirs: float
    scatter: float


@dataclass(frozen=True, slots=True)
class Contention:
    """The share of a core's time that a thread did not get, although it never waited."""

    core: int
    lost: float


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting or a count of the machine that affects measurements, such as the governor."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """A check that was impossible, or for which no time was left. `name` names its measurement."""

    name: str
    subject: str
    reason: Text


Measured = (
    StampCost
    | ClockWidth
    | Overlap
    | ProfilerDifference
    | RecordingCost
    | GradientError
    | SpanOrder
    | PeerStep
    | Contention
    | Setting
    | NotMeasured
)
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Measured)}


@dataclass(frozen=True, slots=True)
class Failed:
    """The check could not run or finish; `text` says why."""

    text: Text


@dataclass(frozen=True, slots=True)
class Done:
    """The check is complete."""


CheckMessage = Measured | Failed | Done


def to_plain(measured: CheckMessage) -> list[Any]:
    """Return a value that JSON can represent."""
    if isinstance(measured, Done):
        return ["Done", None]
    if isinstance(measured, Failed):
        return ["Failed", text_to_plain(measured.text)]
    values = asdict(measured)
    if isinstance(measured, NotMeasured):
        values["reason"] = text_to_plain(measured.reason)
    return [type(measured).__name__, values]


def from_plain(plain: list[Any]) -> CheckMessage:
    """Return the message that `to_plain` described. Raises KeyError or TypeError if invalid."""
    name, values = plain
    if name == "Done":
        return Done()
    if name == "Failed":
        return Failed(text_from_plain(values))
    if name == NotMeasured.__name__:
        return NotMeasured(values["name"], values["subject"], text_from_plain(values["reason"]))
    measured: Measured = typed(_KINDS[name], values)
    return measured
