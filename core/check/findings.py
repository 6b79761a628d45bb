"""Judges the measurements of a check: each becomes a line of the table, with its verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import singledispatch

from core.check.measured import (
    UNKNOWN,
    ClockWidth,
    Contention,
    GradientError,
    Measured,
    NotMeasured,
    Overlap,
    PeerStep,
    ProfilerDifference,
    RecordingCost,
    Setting,
    SpanOrder,
    StampCost,
)
from core.message import N_, Message, Text, join_texts, message
from core.plain import duration_text, share_text

STAMP_NS = 20_000
"""Highest median cost of a good timestamp: more is noticeable in a task of a millisecond."""
SLOW_STAMP_NS = 100_000
CLOCK_NS = 20_000
WIDE_CLOCK_NS = 500_000
"""With a wider uncertainty, the order of short tasks on two devices is unknown."""
OVERLAPS = 0.7
"""Smallest good share of one lane's work that runs at the same time as the other lane's."""
TAKES_TURNS = 0.3
"""With a share below this, the lanes take turns."""
PROFILER_NS = 20_000
FAR_FROM_PROFILER_NS = 200_000
RECORDING_SHARE = 0.03
HIGH_RECORDING_SHARE = 0.1
PEER_SHARE = 0.25
"""Engines are equally fast if their steps differ by at most this share, or twice the scatter."""
LOST_SHARE = 0.02
HIGH_LOST_SHARE = 0.1


class Level(StrEnum):
    """Answer to the question whether times can be trusted; UNKNOWN if there is no measurement."""

    GOOD = N_("yes")
    CARE = N_("with care")
    BAD = N_("no")
    UNKNOWN = N_("not measured")

    @property
    def text(self) -> Message:
        """The answer in words."""
        return message(self.value)


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the table. `advice` explains the verdict; it is "" if there is nothing to add."""

    check: Text
    subject: Text
    value: Text
    level: Level
    advice: Text = ""

    @property
    def verdict(self) -> Text:
        """The level and the advice in words."""
        if not self.advice:
            return self.level.text
        return join_texts([self.level.text, self.advice], ": ")


TITLES: dict[str, Message] = {
    StampCost.__name__: message("cost of a timestamp"),
    ClockWidth.__name__: message("clock of the device"),
    Overlap.__name__: message("two lanes overlap"),
    ProfilerDifference.__name__: message("spans against torch.profiler"),
    RecordingCost.__name__: message("cost of recording a step"),
    GradientError.__name__: message("gradients"),
    SpanOrder.__name__: message("order of spans"),
    PeerStep.__name__: message("step on torch's engine"),
    Contention.__name__: message("other programs"),
    Setting.__name__: message("setting"),
}
"""The first column of the table, by the name of the measurement."""


@singledispatch
def judge(measured: Measured) -> Finding:
    """Judge a measurement and return its line. Raises TypeError for types without a rule."""
    raise TypeError(f"there is no rule to judge {type(measured).__name__}")


def _level(value: float, good: float, bad: float) -> Level:
    """Return the level of a value that should be small: GOOD up to `good`, BAD above `bad`."""
    if value <= good:
        return Level.GOOD
    if value <= bad:
        return Level.CARE
    return Level.BAD


def _finding(
    measured: Measured, subject: Text, value: Text, level: Level, advice: Message
) -> Finding:
    """Return a line, without the advice if the level is good."""
    title = TITLES[type(measured).__name__]
    if level is Level.GOOD:
        return Finding(title, subject, value, level)
    return Finding(title, subject, value, level, advice)


@judge.register
def _(measured: StampCost) -> Finding:
    level = _level(measured.median, STAMP_NS, SLOW_STAMP_NS)
    value = message(
        "{median}, 1 in 100 over {slow}",
        median=duration_text(measured.median),
        slow=duration_text(measured.slow),
    )
    advice = message("tasks shorter than {limit} are not timed well", limit="1 ms")
    return _finding(measured, measured.device, value, level, advice)


@judge.register
def _(measured: ClockWidth) -> Finding:
    level = _level(measured.half_width, CLOCK_NS, WIDE_CLOCK_NS)
    value = f"± {duration_text(measured.half_width)}"
    advice = message("shorter differences between this device and others mean nothing")
    return _finding(measured, measured.device, value, level, advice)


@judge.register
def _(measured: Overlap) -> Finding:
    # Both lanes together take as long as one lane alone if they overlap fully, and twice as long if
    # they take turns.
    slowdown = measured.together / max(1, measured.alone)
    share = max(0.0, min(1.0, 2 - slowdown))
    level = _level(1 - share, 1 - OVERLAPS, 1 - TAKES_TURNS)
    value = message(
        "{share} of the time ({alone} alone, {together} both)",
        share=share_text(share),
        alone=duration_text(measured.alone),
        together=duration_text(measured.together),
    )
    advice = message("lanes slow each other down: compare runs with the same number of lanes only")
    if level is Level.BAD:
        advice = message("the lanes take turns: use virtual lanes, or one lane for each device")
    return _finding(measured, measured.lanes, value, level, advice)


@judge.register
def _(measured: ProfilerDifference) -> Finding:
    far = max(abs(measured.start), abs(measured.end))
    level = _level(far, PROFILER_NS + measured.half_width, FAR_FROM_PROFILER_NS)
    value = message(
        "starts {start} apart, ends {end} ({kernels} kernels)",
        start=duration_text(abs(measured.start)),
        end=duration_text(abs(measured.end)),
        kernels=measured.kernels,
    )
    advice = message("spans differ from the profiler's: tasks with many short kernels look longer")
    return _finding(measured, measured.device, value, level, advice)


@judge.register
def _(measured: RecordingCost) -> Finding:
    plain = max(1.0, measured.plain)
    cost = measured.recorded - measured.plain
    share = cost / plain
    noise = measured.scatter / plain
    good = max(RECORDING_SHARE, noise)
    bad = max(HIGH_RECORDING_SHARE, 2 * noise)
    level = _level(share, good, bad)
    value = message(
        "{share} of a step of {plain}, which scatters by {noise}",
        share=share_text(max(0.0, share)),
        plain=duration_text(measured.plain),
        noise=share_text(noise),
    )
    advice = message("recording slows a job down by this share")
    return _finding(measured, measured.device, value, level, advice)


@judge.register
def _(measured: GradientError) -> Finding:
    level = Level.GOOD if measured.error <= measured.allowed else Level.BAD
    value = message("error {error}", error=f"{measured.error:.1e}")
    advice = message("this strategy's results differ from those of a plain step here")
    return _finding(measured, measured.strategy, value, level, advice)


@judge.register
def _(measured: SpanOrder) -> Finding:
    # The two spans may be timed by different clocks, each of which may be wrong by `uncertain`.
    level = Level.GOOD if measured.early <= 2 * measured.uncertain else Level.BAD
    value = message(
        "{spans} spans, early by {early} at most, clocks ± {uncertain}",
        spans=measured.spans,
        early=duration_text(measured.early),
        uncertain=duration_text(measured.uncertain),
    )
    advice = message("tasks overlap with tasks that they wait for: a clock or a wait is wrong")
    return _finding(measured, measured.run, value, level, advice)


@judge.register
def _(measured: PeerStep) -> Finding:
    apart = abs(measured.ours - measured.theirs)
    allowed = max(PEER_SHARE * measured.theirs, 2 * measured.scatter)
    level = Level.GOOD if apart <= allowed else Level.CARE
    value = message(
        "{ours}, with {peer} {theirs}",
        ours=duration_text(measured.ours),
        peer=measured.peer,
        theirs=duration_text(measured.theirs),
    )
    advice = message("the two engines differ here: compare runs of the same engine only")
    return _finding(measured, measured.run, value, level, advice)


@judge.register
def _(measured: Contention) -> Finding:
    level = _level(measured.lost, LOST_SHARE, HIGH_LOST_SHARE)
    value = message("{share} of the core lost", share=share_text(measured.lost))
    advice = message("other programs use this core: end them, or use other cores (taskset)")
    subject = message("core {number}", number=measured.core)
    return _finding(measured, subject, value, level, advice)


@judge.register
def _(measured: Setting) -> Finding:
    rule = SETTINGS[measured.name]
    if measured.value == UNKNOWN:
        return Finding(TITLES[Setting.__name__], rule.title, "", Level.UNKNOWN)
    level = Level.GOOD if measured.value == rule.good else Level.CARE
    return _finding(measured, rule.title, measured.value, level, rule.advice)


@judge.register
def _(measured: NotMeasured) -> Finding:
    title = TITLES[measured.name]
    return Finding(title, measured.subject, "", Level.UNKNOWN, measured.reason)


@dataclass(frozen=True, slots=True)
class SettingRule:
    """A setting's title, the value with which times can be trusted, and advice for other values."""

    title: Message
    good: str
    advice: Message


SETTINGS: dict[str, SettingRule] = {
    "governor": SettingRule(
        message("governor of the clock"),
        "performance",
        message("the clock follows the load, so equal work takes different times"),
    ),
    "time limit": SettingRule(
        message("stopped by the container's limit"),
        "0 ms",
        message("the container's limit stopped this process for this long"),
    ),
    "heat": SettingRule(
        message("throttled for heat"),
        "0 ×",
        message("the processor became slower during the check"),
    ),
    "launch blocking": SettingRule(
        message("launches wait for kernels"),
        "off",
        message("kernels run one by one and nothing overlaps: unset CUDA_LAUNCH_BLOCKING"),
    ),
    "battery": SettingRule(
        message("battery power"),
        "off",
        message("on battery power the processor is slower"),
    ),
}
"""The rule of each setting, by the setting's name."""


def overall(findings: Iterable[Finding]) -> Level:
    """Return the worst level of all measured lines; UNKNOWN if there are none."""
    levels = {finding.level for finding in findings}
    for level in (Level.BAD, Level.CARE, Level.GOOD):
        if level in levels:
            return level
    return Level.UNKNOWN


def overall_text(findings: Iterable[Finding]) -> Message:
    """Return the verdict on the whole machine, in one sentence."""
    sentences = {
        Level.GOOD: message("The times of this machine can be trusted."),
        Level.CARE: message("The times of this machine can be trusted with care; see the table."),
        Level.BAD: message("Some times of this machine cannot be trusted; see the table."),
        Level.UNKNOWN: message("Nothing could be measured."),
    }
    return sentences[overall(findings)]
