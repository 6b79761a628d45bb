"""What a verdict on profiler files may say, by the files' own events: nothing of core is used.

The time of each device, of which a rank may have several, is divided by union of intervals: it
computes, or else communicates, or else copies, or is idle. Idle time counts for the host where the
task that ends it had not been launched when it began. A contradiction is:

- a number in the text that is not the one found here, to the digits that are shown;
- a largest cause, or a kind of limit, that takes less than another, or less than a twentieth;
- a share of communication or copies that is 0.5 % or more and not told, or told and not there;
- any kind of limit that shares of time cannot show (a slow lane, a link, an order of tasks);
- a hiccup whose name, time or step is of no task of a device;
- a warm-up that is told and was none, or the other way round: steps at the start that take more
  than 1.5 times as long as the median of the later half of the first 64 steps; where that half is
  four steps or more, 1.05 times as long and beyond four standard deviations. Its steps count in no
  share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

Event = dict[str, Any]
Interval = tuple[float, float]
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "mtia_ccp_events"}
LAUNCH = {
    "cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "mtia_runtime", "xpu_runtime",
}  # fmt: skip
NOTES = {
    "user_annotation", "gpu_user_annotation", "trace", "overhead", "python_function", "cuda_sync",
    "cuda_profiler_range",
}  # fmt: skip
STEP = re.compile(r"^ProfilerStep\s?#(\d+)$")
MOVES = re.compile(r"^(?:void )?(?:\w+::)?nccl", re.IGNORECASE)
COPIES = re.compile(r"^mem(cpy|set)\b", re.IGNORECASE)
UNITS = {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6}
TWENTIETH, TOLD = 5.0, 0.5
OF_OTHER_DEVICES = (
    "waiting for other lanes to compute",
    "waiting for collectives to move data",
    "waiting for other lanes to reach a collective",
    "while the pipeline drains",
)
"""Causes of idle time at the end of a step that a process with several devices may have."""


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Intervals joined where they touch or overlap, in order."""
    joined: list[list[float]] = []
    for start, end in sorted(intervals):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        elif end > start:
            joined.append([start, end])
    return [(start, end) for start, end in joined]


def within(intervals: Iterable[Interval], start: float, end: float) -> list[Interval]:
    """The parts of intervals between two times."""
    cut = ((max(start, first), min(end, last)) for first, last in intervals)
    return [(first, last) for first, last in cut if last > first]


def length(intervals: Iterable[Interval]) -> float:
    """The sum of the lengths of intervals."""
    return sum(end - start for start, end in intervals)


@dataclass
class Shares:
    """What a rank's device does, in µs.

    `between` is idle time after a step's last event and before the next step's first, `host` other
    idle time whose next task had not been launched when it began. Of `unsure` idle time either may
    be said: its next task is one of another step, the call that launches that task had begun and
    not ended, or the ranks are so far apart that a step begins before the one that it follows.
    """

    span: float
    compute: float
    exposed: float
    copies: float
    idle: float
    between: float
    host: float
    unsure: float


@dataclass
class Truth:
    """What files hold: lengths of measured steps in µs, shares of each device, and device tasks.

    `several` is true if a process has several devices.
    """

    steps: list[float]
    warm: int
    whole: float
    ranks: list[Shares]
    tasks: dict[str, set[float]]
    several: bool

    def percent(self, name: str) -> float:
        """A part of all devices' time, in per cent."""
        return 100 * sum(getattr(rank, name) for rank in self.ranks) / self.time

    @property
    def time(self) -> float:
        """All devices' time in µs."""
        return sum(rank.span for rank in self.ranks)

    @property
    def not_told(self) -> float:
        """Idle time within steps that does not count for the host, in per cent."""
        return self.percent("idle") - self.percent("host") - self.percent("between")


def truth_of(files: Mapping[str, dict[str, Any]]) -> Truth | None:
    """Read the events of all ranks; None without a step, or without a device that works in one."""
    every = [_complete(file) for file in files.values()]
    numbers = sorted({number for events in every for number, _, _ in _marks(events)})
    if not numbers:
        return None
    # The bounds of each step: of whatever any rank begins in it, but annotations.
    bounds: dict[int, list[float]] = {}
    for events in every:
        marks = _marks(events)
        for event in events:
            number = _step_at(marks, event["ts"])
            if number is not None and event["cat"] not in NOTES:
                first, last = bounds.setdefault(number, [event["ts"], event["ts"]])
                bounds[number] = [min(first, event["ts"]), max(last, _end(event))]
    if not bounds:
        return None
    order = sorted(bounds)
    warm = _warm_up([bounds[number][1] - bounds[number][0] for number in order])
    order = order[warm:]
    begin, finish = bounds[order[0]][0], bounds[order[-1]][1]
    steps = {number: (bounds[number][0], bounds[number][1]) for number in order}
    devices_of_ranks = [_devices(events) for events in every]
    devices = [
        _shares(events, working, steps)
        for events, tasks_of_devices in zip(every, devices_of_ranks, strict=True)
        for working in tasks_of_devices
    ]
    several = any(len(devices) > 1 for devices in devices_of_ranks)
    used = [device for device in devices if device is not None and device.span > 0]
    tasks: dict[str, set[float]] = {}
    for event in (event for events in every for event in events if event["cat"] in DEVICE):
        tasks.setdefault(event["name"], set()).add(event["dur"])
    lengths = [last - first for first, last in steps.values()]
    if not used:
        return None
    return Truth(lengths, warm, finish - begin, used, tasks, several)


def _warm_up(lengths: list[float]) -> int:
    """How many steps at the start are warm-up."""
    if len(lengths) < 3:
        return 0
    lengths = lengths[:64]
    later = lengths[len(lengths) // 2 :]
    usual = median(later)
    limit = 1.5 * usual
    if len(later) >= 4:
        deviation = 1.4826 * median(abs(one - usual) for one in later)
        limit = max(1.05 * usual, usual + 4 * deviation)
    return next(place for place, one in enumerate(lengths) if one <= limit)


def _complete(file: dict[str, Any]) -> list[Event]:
    """The events that have a time and a length; their categories in small letters."""
    found = []
    for event in file["traceEvents"]:
        if event.get("ph") == "X" and "dur" in event and event.get("cat"):
            times = {"ts": float(event["ts"]), "dur": float(event["dur"])}
            found.append({**event, **times, "cat": event["cat"].lower()})
    return found


def _end(event: Event) -> float:
    return float(event["ts"] + event["dur"])


def _marks(events: list[Event]) -> list[tuple[int, float, float]]:
    """Number, start and end of each step that the host's annotations mark."""
    found = []
    for event in events:
        match = STEP.match(event["name"])
        if match is not None and event["cat"] not in DEVICE and "gpu" not in event["cat"]:
            found.append((int(match[1]), event["ts"], _end(event)))
    return sorted(found)


def _step_at(marks: list[tuple[int, float, float]], time: float) -> int | None:
    """The step during which something starts: until the next one begins."""
    if not marks or time < marks[0][1] or time >= marks[-1][2]:
        return None
    return max(number for number, start, _ in marks if start <= time)


def _devices(events: list[Event]) -> list[list[Event]]:
    """The tasks of each device: those with one process. Without any, the host's calls.

    A device that computes nothing does not count next to one that computes.
    """
    tasks: dict[Any, list[Event]] = {}
    for event in events:
        if event["cat"] in DEVICE:
            tasks.setdefault(event["pid"], []).append(event)
    if not tasks:
        return [[event for event in events if event["cat"] not in NOTES]]
    computing = [
        own
        for own in tasks.values()
        if any(not MOVES.search(e["name"]) and not COPIES.search(e["name"]) for e in own)
    ]
    return computing or list(tasks.values())


def _shares(events: list[Event], device: list[Event], steps: dict[int, Interval]) -> Shares | None:
    """A device's shares from the first step to the last, as far as it is in use."""
    bounds = list(steps.values())
    begin, finish = bounds[0][0], bounds[-1][1]
    # The threads of a host without a device are what works, and nothing launches them.
    has_tasks = bool(device) and device[0]["cat"] in DEVICE
    launches = _launches(events) if has_tasks else {}
    seen = [e for e in device if _launch(e, launches) is not None]
    counted = [e for e in seen if _launch(e, launches)["ts"] <= finish] if seen else device
    if not counted:
        return None
    first = max(begin, min(event["ts"] for event in counted))
    last = min(finish, max(map(_end, counted)))
    if last <= first:
        return None

    def covered(chosen: Iterable[Event]) -> list[Interval]:
        return within(union((e["ts"], _end(e)) for e in chosen), first, last)

    moving = [e for e in device if MOVES.search(e["name"])]
    copying = [e for e in device if COPIES.search(e["name"])]
    computing = [e for e in device if e not in moving and e not in copying]
    compute, either = length(covered(computing)), length(covered([*computing, *moving]))
    busy = covered(device)
    idle = _gaps(busy, first, last)
    # A step goes on until its last event ends, but no longer than until the next one begins.
    ends = [min(max(start, end), after) for (start, end), (after, _) in pairwise(bounds)]
    between = [(end, start) for end, (start, _) in zip(ends, bounds[1:], strict=True)]
    inside = [part for gap in idle for part in _outside(gap, between)]
    host, unsure = _host_part(inside, device, launches, (steps, _marks(events)))
    if bounds != sorted(bounds):
        unsure = length(idle)
    return Shares(
        last - first,
        compute,
        either - compute,
        length(busy) - either,
        length(idle),
        length(idle) - length(inside),
        host,
        unsure,
    )


def _outside(gap: Interval, others: list[Interval]) -> list[Interval]:
    """The parts of an interval outside of others, which are in order and apart."""
    return _gaps(within(others, *gap), *gap)


def _gaps(busy: list[Interval], first: float, last: float) -> list[Interval]:
    edges = [first, *(edge for interval in busy for edge in interval), last]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(start, end) for start, end in pairs if end > start]


def _launches(events: list[Event]) -> dict[int, Event]:
    """The calls that launch, by their correlation."""
    found: dict[int, Event] = {}
    for event in events:
        number = event.get("args", {}).get("correlation")
        if event["cat"] in LAUNCH and number:
            found.setdefault(int(number), event)
    return found


def _launch(event: Event, launches: dict[int, Event]) -> Any:
    number = event.get("args", {}).get("correlation")
    return launches.get(int(number)) if number else None


def _host_part(
    idle: list[Interval],
    device: list[Event],
    launches: dict[int, Event],
    steps: tuple[dict[int, Interval], list[tuple[int, float, float]]],
) -> tuple[float, float]:
    """Idle time of the host, and such of which either may be said; see Shares.

    `steps` has the bounds of the steps of all ranks, and the marks of this one's.
    """
    starts: dict[float, Event] = {}
    for event in device:
        starts.setdefault(event["ts"], event)
    host = unsure = 0.0
    for start, end in idle:
        following = starts.get(end)
        call = None if following is None else _launch(following, launches)
        here = [number for number, (begin, _) in steps[0].items() if begin <= start]
        elsewhere = following is None or _step_at(steps[1], end) != max(here, default=None)
        straddled = call is not None and call["ts"] < start < _end(call)
        unsure += (end - start) * (elsewhere or straddled)
        if call is not None and call["ts"] >= start:
            host += end - start
    return host, unsure


def contradictions(found: Any, truth: Truth) -> Iterator[str]:
    """Each way in which a verdict (kind, where, loss_ns, text) contradicts what files hold."""
    text, kind = str(found.text), str(found.kind)
    unsure = truth.percent("unsure") + 0.05
    step = re.match(r"Step ([\d.,]+) (ns|µs|ms|s)\.", text)
    middle = sorted(truth.steps)[(len(truth.steps) - 1) // 2]
    if step is None or not _same(step[1], _us(step), middle / UNITS[step[2]], 0.01):
        yield f"the step is {middle:.1f} µs"
    warm = re.search(r"The first (?:step is|(\d+) steps are) warm-up", text)
    if truth.warm != (int(warm[1] or 1) if warm else 0):
        yield f"{truth.warm} steps are warm-up"
    idle = re.search(
        r"Devices idle ([\d.]+) %(?: \(([\d.]+) % to ([\d.]+) %\))?"
        r"(?:(: mostly|, the largest part) (.*?) \(([\d.]+) %\))?\.",
        text,
    )
    if idle is None:
        yield "no idle share is told"
        return
    if not _same(idle[1], float(idle[1]), truth.percent("idle"), 0.02):
        yield f"devices idle {truth.percent('idle'):.2f} %"
    each = [100 * rank.idle / rank.span for rank in truth.ranks]
    if idle[2] is not None:
        if not _same(idle[2], float(idle[2]), min(each), 0.02):
            yield f"the least idle share is {min(each):.2f} %"
        if not _same(idle[3], float(idle[3]), max(each), 0.02):
            yield f"the largest idle share is {max(each):.2f} %"
    if idle[4] is not None:
        yield from _wrong_cause(idle[5], float(idle[6]), truth, unsure, idle[4] == ": mostly")
    alone = {"communication": truth.percent("exposed"), "copies": truth.percent("copies")}
    for name, share in alone.items():
        told = re.search(rf"Exposed {name} takes? ([\d.]+) %\.", text)
        loss = re.search(rf"Exposed {name} costs? [^(]*\(([\d.]+) % of", text)
        said = told or loss
        if said is not None and not _same(said[1], float(said[1]), share, 0.02):
            yield f"exposed {name} takes {share:.2f} %"
        if said is None and share >= TOLD + 0.02:
            yield f"exposed {name} takes {share:.2f} %, which is not said"
    used = re.search(r"Devices are in use for ([\d.,]+) (ns|µs|ms|s) of it", text)
    mean = truth.time / len(truth.ranks)
    if used is not None:
        each_step = mean / len(truth.steps) / UNITS[used[2]]
        if not _same(used[1], _us(used), each_step, 0.01):
            yield f"devices are in use for {each_step:.3f} {used[2]}"
    yield from _wrong_limit(found, kind, truth, unsure)


def _wrong_cause(
    reason: str, share: float, truth: Truth, unsure: float, mostly: bool
) -> Iterator[str]:
    """A main cause of idle time that is not the largest, or has another share."""
    shares = {
        "waiting for the host to start work": truth.percent("host"),
        "for reasons that the trace does not show": truth.not_told,
        "between steps": truth.percent("between"),
    }
    if reason in OF_OTHER_DEVICES and truth.several:
        # When a device has done its part of a step, others of its process may go on.
        shares[reason] = min(share, truth.percent("unsure"))
    if reason not in shares:
        yield f"{reason}: not a cause of a device's idle time"
        return
    own, largest = shares[reason], max(shares.values())
    if abs(share - own) > unsure + _half(share) + 0.02:
        yield f"{reason}: {own:.2f} %"
    if own + 2 * unsure + 0.1 < largest:
        yield f"{reason}: {own:.2f} %, less than the other cause's {largest:.2f} %"
    if mostly and 2 * share + 2 * _half(share) + 0.05 < truth.percent("idle"):
        yield f"mostly {reason}: {share} %"


def _wrong_limit(found: Any, kind: str, truth: Truth, unsure: float) -> Iterator[str]:
    """A limit that is not what takes most of the devices' time, or costs something else."""
    shares = {
        "host": truth.percent("host"), "not-told": truth.not_told + truth.percent("between"),
        "communication": truth.percent("exposed"), "copies": truth.percent("copies"),
    }  # fmt: skip
    mean_step = truth.time / len(truth.ranks) / len(truth.steps) * 1e3  # ns
    if kind in shares:
        slack = 2 * unsure if kind in ("host", "not-told") else unsure
        if shares[kind] + slack + 0.02 < max(shares.values()):
            yield f"{kind} takes {shares[kind]:.2f} % of {shares}"
        if max(shares[kind] + slack, truth.percent("idle")) < TWENTIETH - 0.05:
            yield f"{kind} takes less than a twentieth"
        loss = shares[kind] / 100 * mean_step
        if abs(found.loss_ns - loss) > slack / 100 * mean_step + 1e-3 * mean_step + 2:
            yield f"{kind} costs {loss:.0f} ns a step, not {found.loss_ns}"
    elif kind == "imbalance":
        computes = [rank.compute for rank in truth.ranks]
        loss = (max(computes) - sum(computes) / len(computes)) / len(truth.steps) * 1e3
        if len(computes) < 2 or abs(found.loss_ns - loss) > 1e-3 * mean_step + 2:
            yield f"imbalance costs {loss:.0f} ns"
    elif kind == "none":
        large = max(*(shares[name] for name in ("communication", "copies")), truth.percent("idle"))
        if large > TWENTIETH + 0.05:
            yield f"no limit, of {shares}"
    elif kind == "hiccup":
        said = re.search(
            r"step \d+, (?P<task>.*) on .* took (?P<taken>[\d.,]+) (?P<unit>ns|µs|ms|s) instead of "
            r".* cost .* \((?P<share>[\d.]+) % of that step",
            str(found.text),
        )
        if said is None or not said["task"].strip():
            yield "a hiccup without a name"
        elif not any(_took(said, took, truth) for took in truth.tasks.get(said["task"], ())):
            yield f"no task {said['task']} took {said['taken']} {said['unit']}"
        elif float(said["share"]) + 1 < max(shares.values()) - unsure:
            yield f"a hiccup of {said['share']} %, of {shares}"
    else:
        yield f"{kind}: shares of time do not show that"


def _took(said: re.Match[str], took: float, truth: Truth) -> bool:
    """Whether a task that took so many µs may be said to have taken what a hiccup's words say."""
    taken = took / UNITS[said["unit"]]
    # To wait for other ranks is no part of what a collective takes.
    waited = MOVES.search(said["task"]) is not None and len(truth.ranks) > 1
    printed = float(said["taken"].replace(",", ""))
    return _same(said["taken"], printed, taken, 0.01) or (waited and printed < taken)


def _us(match: re.Match[str]) -> float:
    return float(match[1].replace(",", ""))


def _half(shown: float) -> float:
    """Half a unit of the last of two digits."""
    return 0.5 if shown >= 10 else 0.05 if shown >= 1 else 0.005


def _same(shown: str, value: float, true: float, slack: float) -> bool:
    """Whether a number as it is shown is the true one, to its digits; `slack` is relative."""
    digits = len(shown.partition(".")[2])
    return abs(value - true) <= 0.51 * 10.0**-digits + slack * max(abs(true) * 0.02, 0.02)
