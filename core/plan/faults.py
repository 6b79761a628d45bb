"""Faults that are put into a run on purpose: a slow lane, link or kind, a hiccup, jitter.

They lengthen tasks that were measured or that are predicted, so that an explanation can be held
against what is known to be wrong. Real lanes have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.option import Group, Option, Settings, listed
from core.plan.lanes import VIRTUAL
from core.plan.links import IS_COMMUNICATION, Link, links_of
from core.plan.task import KIND_CODES, Kind, Lane, PlanError, Role, TaskColumns

_WHOLE, _NUMBER = r"(\d{1,9})", r"(\d{1,9}(?:\.\d{1,9})?)"
_KINDS = tuple(kind for kind in Kind if kind is not Kind.OTHER)


def _unused(settings: Settings) -> str:
    if VIRTUAL.rstrip(":") in settings.devices:
        return ""
    return "Faults are put into virtual lanes alone, such as 8xvirtual."


def _words(name: str, help: str, form: str, pattern: str, example: str) -> Option[str | None]:
    """An option of any number of words in one form."""
    return Option(
        name, str, help, "none", form, pattern=pattern, example=example, group=Group.FAULTS,
        unused=_unused,
    )  # fmt: skip


SLOW_LANE = _words(
    "slow_lane",
    "A lane that computes longer by a factor; repeatable.",
    "LANE:FACTOR",
    f"{_WHOLE}:{_NUMBER}",
    "2:1.5",
)
SLOW_LINK = _words(
    "slow_link",
    "Two lanes between which transfers take longer by a factor; repeatable.",
    "LANE-LANE:FACTOR",
    f"{_WHOLE}-{_WHOLE}:{_NUMBER}",
    "1-2:4",
)
HICCUP = _words(
    "hiccup",
    "A lane's first pass in one measured step, the first being 1, takes so much longer; "
    "repeatable.",
    "lane=LANE,step=STEP,ms=MS",
    f"lane={_WHOLE},step={_WHOLE},ms={_NUMBER}",
    "lane=2,step=4,ms=50",
)
SLOW_KIND = _words(
    "slow_kind",
    "A kind of task that takes longer by a factor on every lane; repeatable.",
    "KIND:FACTOR",
    f"([a-z-]+):{_NUMBER}",
    "backward:1.2",
)
JITTER: Option[float | None] = Option(
    "jitter",
    float,
    "How much every task's time varies at random, by the seed, around what it is.",
    "none",
    "share",
    least=0,
    most=1,
    group=Group.FAULTS,
    unused=_unused,
)
FAULT_OPTIONS: tuple[Option[Any], ...] = (SLOW_LANE, SLOW_LINK, HICCUP, SLOW_KIND, JITTER)


@dataclass(frozen=True, slots=True)
class Hiccup:
    """A lane's first computing task in the step takes `ns` longer; `step` as recordings count."""

    lane: int
    step: int
    ns: int


@dataclass(frozen=True, slots=True)
class Faults:
    """What lengthens the tasks of a run; nothing does by default.

    The computing tasks of `slow_lanes`, the transfers over `slow_links` and the tasks of
    `slow_kinds` take longer by a factor each. All tasks vary by `jitter`: log-normally, with this
    sigma of the logarithm and a mean of 1, drawn anew for each step from `seed`.
    """

    slow_lanes: Mapping[int, float]
    slow_links: Mapping[Link, float]
    slow_kinds: Mapping[Kind, float]
    hiccups: tuple[Hiccup, ...] = ()
    jitter: float = 0.0
    seed: int = 0

    @classmethod
    def of(cls, settings: Settings) -> Faults:
        """What was asked for. Raises PlanError, in one line, for what cannot be read."""
        lanes = {int(n): factor for (n, factor) in _factors(settings, SLOW_LANE)}
        links = {(int(a), int(b)): factor for (a, b, factor) in _factors(settings, SLOW_LINK)}
        for low, high in links:
            if low == high:
                raise PlanError(f"{SLOW_LINK.flag} {low}-{high}: name two different lanes")
        kinds = {_kind(name): factor for (name, factor) in _factors(settings, SLOW_KIND)}
        hiccups = tuple(
            Hiccup(int(lane), settings.warmup + int(step) - 1, round(float(ms) * 1e6))
            for lane, step, ms in _matches(settings, HICCUP)
        )
        ordered = {(min(link), max(link)): factor for link, factor in links.items()}
        for option, found in ((SLOW_LANE, lanes), (SLOW_LINK, ordered), (SLOW_KIND, kinds)):
            words = (settings[option] or "").split()
            if len(found) < len(words):
                told = " ".join(f"{option.flag} {word}" for word in words)
                raise PlanError(f"{told}: name each {option.name[5:]} once")
        return cls(lanes, ordered, kinds, hiccups, settings[JITTER] or 0.0, settings.seed)

    def __bool__(self) -> bool:
        """Whether there is any."""
        factors = (self.slow_lanes, self.slow_links, self.slow_kinds)
        return any(factors) or bool(self.hiccups) or self.jitter > 0

    def check(self, lanes: Sequence[Lane], first: int, steps: int) -> None:
        """Raise PlanError for what a run on `lanes` has not.

        Its measured steps are `steps`, the first of them number `first` in a recording.
        """
        count = sum(lane.role is Role.COMPUTE for lane in lanes)
        there = f"there are lanes 0 to {count - 1}" if count > 1 else "there is lane 0 alone"
        for lane, factor in self.slow_lanes.items():
            if lane >= count:
                raise PlanError(f"{SLOW_LANE.flag} {lane}:{factor:g}: {there}")
        for (low, high), factor in self.slow_links.items():
            if high >= count:
                raise PlanError(f"{SLOW_LINK.flag} {low}-{high}:{factor:g}: {there}")
        for hiccup in self.hiccups:
            number = hiccup.step - first + 1
            told = f"{HICCUP.flag} lane={hiccup.lane},step={number},ms={hiccup.ns / 1e6:g}"
            if hiccup.lane >= count:
                raise PlanError(f"{told}: {there}")
            if not 1 <= number <= steps:
                raise PlanError(f"{told}: the measured steps are 1 to {steps}")

    def effects(
        self, columns: TaskColumns, lanes: Sequence[Lane], step: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """By what each of n tasks takes longer in a step: a factor, and then so many ns more.

        `lanes` are all of the plan's, and `step` is its number in a recording, warm-up included.
        """
        count = len(columns)
        factors, extra = np.ones(count), np.zeros(count, np.int64)
        computes = ~IS_COMMUNICATION[columns.kind]
        for lane, factor in self.slow_lanes.items():
            factors[(columns.lane == lane) & computes] *= factor
        for kind, factor in self.slow_kinds.items():
            factors[columns.kind == KIND_CODES[kind]] *= factor
        if self.slow_links:
            links = links_of(columns, lanes)
            each = np.ones(len(links.task))
            for link, factor in self.slow_links.items():
                each[links.over(link)] = factor
            factors *= links.factors(columns, each)
        if self.jitter:
            drawn = np.random.default_rng([self.seed, step]).standard_normal(count)
            factors *= np.exp(self.jitter * drawn - self.jitter**2 / 2)
        for hiccup in self.hiccups:
            if hiccup.step == step:
                extra[np.flatnonzero((columns.lane == hiccup.lane) & computes)[:1]] += hiccup.ns
        return factors, extra

    def durations(
        self,
        columns: TaskColumns,
        lanes: Sequence[Lane],
        step: int,
        durations: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """What n tasks take in a step, in ns, that would take `durations` without faults."""
        factors, extra = self.effects(columns, lanes, step)
        return np.rint(durations * factors).astype(np.int64) + extra


NO_FAULTS = Faults({}, {}, {})


def faults_given(settings: Settings) -> dict[str, str | float]:
    """What was put into a run, by the names of the options; empty without faults."""
    given = {option.name: settings[option] for option in FAULT_OPTIONS}
    return {name: value for name, value in given.items() if value}


def faults_text(settings: Settings) -> str:
    """What was put into a run, as on the command line: `--slow-lane 2:1.5 --jitter 0.05`."""
    words = [
        f"{option.flag} {word}"
        for option in FAULT_OPTIONS
        for word in str(settings[option] or "").split()
    ]
    return " ".join(words)


def _matches(settings: Settings, option: Option[str | None]) -> Iterator[tuple[str, ...]]:
    """The parts of each of an option's words. Raises PlanError for one of another form."""
    value = settings[option] or ""
    if problem := option.problem(value):
        raise PlanError(problem)
    for word in value.split():
        match = re.fullmatch(option.pattern, word)
        assert match is not None  # by option.problem
        yield match.groups()


def _factors(settings: Settings, option: Option[str | None]) -> Iterator[tuple[Any, ...]]:
    """The same with the last part as a factor. Raises PlanError for one of 0."""
    for *parts, number in _matches(settings, option):
        if float(number) <= 0:
            told = f"{'-'.join(parts)}:{number}"
            raise PlanError(f"{option.flag} {told}: use a factor above 0")
        yield *parts, float(number)


def _kind(name: str) -> Kind:
    kind = next((kind for kind in _KINDS if kind == name), None)
    if kind is None:
        raise PlanError(f"{SLOW_KIND.flag} {name!r}: use {listed(_KINDS)}")
    return kind
