"""Faults injected into a run on purpose: a slow lane, link or kind, a hiccup, jitter.

They lengthen measured or predicted tasks of virtual lanes, so that an explanation can be compared
with a known cause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.errors import PlanError
from core.message import Message, Text, message
from core.option import Option, OptionGroup, RunSettings, listed
from core.plan.lanes import asks_virtual
from core.plan.plan import Lane, Role
from core.plan.task import IS_COMMUNICATION, KIND_CODES, PLANNED, Kind, TaskColumns
from core.plan.transfers import LanePair, links_of

T = TypeVar("T")
_WHOLE = r"(\d{1,9})"
_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"


def _slow_lanes(text: str) -> dict[int, float]:
    """Read `2:1.5 3:1.2`, the factors of lanes. Raises PlanError, as all these readers do."""
    parts = _parts(
        "--slow-lane", text, f"{_WHOLE}:{_NUMBER}", message("LANE:FACTOR, such as 2:1.5")
    )
    found = {int(lane): _factor("--slow-lane", lane, factor) for lane, factor in parts}
    return _once("--slow-lane", text, found)


def _slow_links(text: str) -> dict[LanePair, float]:
    """Read `1-2:4`, the factors of links."""
    form = message("LANE-LANE:FACTOR, such as 1-2:4")
    found = {}
    for one, other, factor in _parts("--slow-link", text, f"{_WHOLE}-{_WHOLE}:{_NUMBER}", form):
        if int(one) == int(other):
            raise PlanError(
                message(
                    "--slow-link {first}-{other}: name two different lanes", first=one, other=other
                )
            )
        low, high = sorted((int(one), int(other)))
        found[low, high] = _factor("--slow-link", f"{one}-{other}", factor)
    return _once("--slow-link", text, found)


def _slow_kinds(text: str) -> dict[Kind, float]:
    """Read `backward:1.2`, the factors of kinds."""
    found = {}
    form = message("KIND:FACTOR, such as backward:1.2")
    for name, factor in _parts("--slow-kind", text, f"([a-z-]+):{_NUMBER}", form):
        if name not in PLANNED:
            raise PlanError(
                message("--slow-kind {name!r}: use {accepted}", name=name, accepted=listed(PLANNED))
            )
        found[Kind(name)] = _factor("--slow-kind", name, factor)
    return _once("--slow-kind", text, found)


def _hiccups(text: str) -> list[tuple[int, int, int]]:
    """Read `lane=2,step=4,ms=50` as (lane, measured step counted from 1, ns)."""
    pattern = f"lane={_WHOLE},step={_WHOLE},ms={_NUMBER}"
    form = message("lane=LANE,step=STEP,ms=MS, such as lane=2,step=4,ms=50")
    hiccups = []
    for lane, step, ms in _parts("--hiccup", text, pattern, form):
        ns = round(float(ms) * 1e6)
        hiccups.append((int(lane), int(step), ns))
    return hiccups


def _parts(flag: str, text: str, pattern: str, form: Text) -> Iterator[tuple[str, ...]]:
    """Yield the groups of each word. Raises PlanError for a word that does not match."""
    for word in text.split():
        # Without re.ASCII, \d also matches digits of other scripts.
        match = re.fullmatch(pattern, word, re.ASCII)
        if match is None:
            raise PlanError(
                message(
                    "{flag} {word!r}: use {form}, each number below 10^9",
                    flag=flag,
                    word=word,
                    form=form,
                )
            )
        yield match.groups()


def _factor(flag: str, what: str, number: str) -> float:
    if float(number) <= 0:
        raise PlanError(
            message(
                "{flag} {what}:{number}: use a factor above 0", flag=flag, what=what, number=number
            )
        )
    return float(number)


def _once(flag: str, text: str, found: dict[T, float]) -> dict[T, float]:
    """Return `found`. Raises PlanError if the text names something twice."""
    words = text.split()
    if len(found) < len(words):
        given = " ".join(f"{flag} {word}" for word in words)
        raise PlanError(
            message(
                "{given}: name each {part} once",
                given=given,
                part=flag.removeprefix("--slow-"),
            )
        )
    return found


def _unused(settings: RunSettings) -> bool:
    """Return True if there are no virtual lanes, the only ones that faults can be injected into."""
    return not asks_virtual(settings.devices)


def _words(name: str, help: str, form: str, reads: Callable[[str], object]) -> Option[str | None]:
    """Return a repeatable option whose words have the given form."""
    return Option(
        name,
        str,
        help,
        "none",
        form,
        reads=reads,
        repeated=True,
        group=OptionGroup.FAULTS,
        unused=_unused,
    )


SLOW_LANE = _words(
    "slow_lane",
    "A lane that is slower by a factor, such as 2:1.5; repeatable.",
    "LANE:FACTOR",
    _slow_lanes,
)
SLOW_LINK = _words(
    "slow_link",
    "Two lanes between which transfers are slower by a factor, such as 1-2:4; repeatable.",
    "LANE-LANE:FACTOR",
    _slow_links,
)
HICCUP = _words(
    "hiccup",
    "A delay of a lane's first pass in one measured step (the first is 1), such as "
    "lane=2,step=4,ms=50; repeatable.",
    "lane=LANE,step=STEP,ms=MS",
    _hiccups,
)
SLOW_KIND = _words(
    "slow_kind",
    "A kind of task that is slower by a factor on all lanes, such as backward:1.2; repeatable.",
    "KIND:FACTOR",
    _slow_kinds,
)
JITTER: Option[float | None] = Option(
    "jitter",
    float,
    "Relative random variation of every task's time, which depends on the seed.",
    "none",
    "share",
    least=0,
    most=1,
    group=OptionGroup.FAULTS,
    unused=_unused,
)
FAULT_OPTIONS: tuple[Option[Any], ...] = (SLOW_LANE, SLOW_LINK, HICCUP, SLOW_KIND, JITTER)


@dataclass(frozen=True, slots=True)
class Hiccup:
    """A delay of `ns` of a lane's first compute task in a step; `step` counts warm-up too."""

    lane: int
    step: int
    ns: int


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of a run.

    Factors lengthen the compute tasks of `slow_lanes`, the transfers over `slow_links` and the
    tasks of `slow_kinds`. `jitter` multiplies every task's time by a log-normal factor with mean 1
    and this sigma of its logarithm, drawn for each step from `seed`.
    """

    slow_lanes: Mapping[int, float]
    slow_links: Mapping[LanePair, float]
    slow_kinds: Mapping[Kind, float]
    hiccups: tuple[Hiccup, ...] = ()
    jitter: float = 0.0
    seed: int = 0

    @classmethod
    def of(cls, settings: RunSettings) -> Faults:
        """Read the faults from a run's settings. Raises PlanError for malformed text."""
        hiccups = []
        for lane, step, ns in _hiccups(settings[HICCUP] or ""):
            hiccups.append(Hiccup(lane, settings.warmup + step - 1, ns))
        return cls(
            slow_lanes=_slow_lanes(settings[SLOW_LANE] or ""),
            slow_links=_slow_links(settings[SLOW_LINK] or ""),
            slow_kinds=_slow_kinds(settings[SLOW_KIND] or ""),
            hiccups=tuple(hiccups),
            jitter=settings[JITTER] or 0.0,
            seed=settings.seed,
        )

    def __bool__(self) -> bool:
        """Return True if at least one fault is set."""
        factors = (self.slow_lanes, self.slow_links, self.slow_kinds)
        return any(factors) or bool(self.hiccups) or self.jitter > 0

    def check(self, lanes: Sequence[Lane], first: int, steps: int) -> None:
        """Raise PlanError if a fault names a lane or step that the run does not have.

        The run has `steps` measured steps; the first has the number `first` in a recording.
        """
        count = sum(lane.role is Role.COMPUTE for lane in lanes)
        if count > 1:
            there = message("there are lanes 0 to {last}", last=count - 1)
        else:
            there = message("there is only lane 0")
        for lane, factor in self.slow_lanes.items():
            if lane >= count:
                raise PlanError(
                    message(
                        "{flag} {lane}:{factor:g}: {there}",
                        flag=SLOW_LANE.flag,
                        lane=lane,
                        factor=factor,
                        there=there,
                    )
                )
        for (low, high), factor in self.slow_links.items():
            if high >= count:
                raise PlanError(
                    message(
                        "{flag} {low}-{high}:{factor:g}: {there}",
                        flag=SLOW_LINK.flag,
                        low=low,
                        high=high,
                        factor=factor,
                        there=there,
                    )
                )
        for hiccup in self.hiccups:
            number = hiccup.step - first + 1
            ms = hiccup.ns / 1e6
            given = f"{HICCUP.flag} lane={hiccup.lane},step={number},ms={ms:g}"
            if hiccup.lane >= count:
                raise PlanError(message("{given}: {there}", given=given, there=there))
            if not 1 <= number <= steps:
                raise PlanError(
                    message(
                        "{given}: the measured steps are 1 to {steps}", given=given, steps=steps
                    )
                )

    def effects(
        self, columns: TaskColumns, lanes: Sequence[Lane], step: int
    ) -> tuple[Floats, Ints]:
        """Return the factor and the additional ns of each of n tasks in a step, in shape (n,).

        `lanes` are all of the plan's; `step` is the number in a recording, warm-up included.
        """
        count = len(columns)
        factors = np.ones(count)
        extra = np.zeros(count, np.int64)
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
            # Seeded by step too: a run and its prediction draw the same factors in any order.
            drawn = np.random.default_rng([self.seed, step]).standard_normal(count)
            # The mean of a log-normal factor is exp(mu + sigma^2 / 2). With mu = -sigma^2 / 2 it
            # is 1: jitter makes a run uneven, but not longer on average.
            factors *= np.exp(self.jitter * drawn - self.jitter**2 / 2)
        for hiccup in self.hiccups:
            if hiccup.step == step:
                computed = np.flatnonzero((columns.lane == hiccup.lane) & computes)
                extra[computed[:1]] += hiccup.ns  # [:1] is empty if the lane computes nothing
        return factors, extra

    def without_effect(self, columns: TaskColumns, lanes: Sequence[Lane]) -> list[Message]:
        """Return a sentence for each fault that lengthens no task of a step on `lanes`."""
        links = links_of(columns, lanes)
        computes = ~IS_COMMUNICATION[columns.kind]
        affected: list[tuple[Option[str | None], str, Bools]] = []
        for lane in self.slow_lanes:
            affected.append((SLOW_LANE, str(lane), (columns.lane == lane) & computes))
        for low, high in self.slow_links:
            affected.append((SLOW_LINK, f"{low}-{high}", links.over((low, high))))
        for kind in self.slow_kinds:
            affected.append((SLOW_KIND, str(kind), columns.kind == KIND_CODES[kind]))
        for hiccup in self.hiccups:
            on_lane = (columns.lane == hiccup.lane) & computes
            affected.append((HICCUP, f"lane={hiccup.lane}", on_lane))
        warnings = []
        for option, value, tasks in affected:
            if not tasks.any():
                warnings.append(
                    message(
                        "{flag} {value} affects no task of this plan",
                        flag=option.flag,
                        value=value,
                    )
                )
        return warnings

    def durations(
        self,
        columns: TaskColumns,
        lanes: Sequence[Lane],
        step: int,
        durations: Ints,
    ) -> Ints:
        """Return the durations in ns of n tasks in a step; without faults they are `durations`."""
        factors, extra = self.effects(columns, lanes, step)
        return np.rint(durations * factors).astype(np.int64) + extra


NO_FAULTS = Faults({}, {}, {})


def faults_given(settings: RunSettings) -> dict[str, str | float]:
    """Return the faults of a run by option name; empty without faults."""
    given = {option.name: settings[option] for option in FAULT_OPTIONS}
    return {name: value for name, value in given.items() if value}


def hiccups_of(settings: RunSettings, number: int) -> str | None:
    """Return the `--hiccup` words for measured step `number` (from 1); None if there are none."""
    text = settings[HICCUP] or ""
    of_step = []
    for word, (_, step, _) in zip(text.split(), _hiccups(text), strict=True):
        if step == number:
            of_step.append(word)
    return " ".join(of_step) or None


def faults_text(settings: RunSettings) -> str:
    """Return the faults as on the command line: `--slow-lane 2:1.5 --jitter 0.05`."""
    arguments: list[str] = []
    for option in FAULT_OPTIONS:
        words = str(settings[option] or "").split()
        arguments += [f"{option.flag} {word}" for word in words]
    return " ".join(arguments)
