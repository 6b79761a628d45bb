"""A sweep: which settings are run, how often, and in which order. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from core.errors import PlanError
from core.option import Option, Value
from core.plan.pipeline.options import BALANCE, LANE_MEMORY
from core.plan.planning import check
from core.plan.specification import STRATEGY_OPTIONS, Specification, specification_of, with_defaults
from core.plan.strategies import STRATEGIES, mp, single
from core.sweep.values import SWEPT, read_values

SINGLE = single.STRATEGY.name
BESIDE = (SINGLE, mp.STRATEGY.name)
"""The strategies that are run beside the others, unless something else is asked for."""
REPEATS = 3
MOST_RUNS = 100_000
_STRATEGY = next(option for option in SWEPT if option.name == "strategy")


@dataclass(frozen=True, slots=True)
class Varied:
    """An option of which a sweep tries several values; None is its default."""

    option: Option[Any]
    values: tuple[Value, ...]

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers, which have an order and make a curve."""
        numbers = self.option.kind in (int, float)
        return numbers and all(isinstance(value, int | float) for value in self.values)


@dataclass(frozen=True, slots=True)
class Point:
    """One run: the place of its setting in `Sweep.settings`, and which repeat it is, from 1 on."""

    setting: int
    repeat: int


@dataclass(frozen=True)
class Sweep:
    """Every combination of the `varied` options' values, `repeat` times, on top of `base`.

    The strategies `beside` are run with the same settings, as far as they take them. No run
    measures what tasks cost before its steps: nothing is predicted.
    """

    base: Specification
    varied: tuple[Varied, ...] = ()
    beside: tuple[str, ...] = BESIDE
    repeat: int = REPEATS
    shuffle: int = 0

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """The strategies that are asked for, without those beside them."""
        return next(
            (tuple(map(str, v.values)) for v in self.varied if v.option is _STRATEGY),
            (self.base.strategy,),
        )

    @cached_property
    def settings(self) -> tuple[Specification, ...]:
        """Every setting once, those beside first; defaults are written out.

        An option that a strategy does not take makes no setting of its own. Raises PlanError, in
        one line, for the first setting that cannot be run whatever the machine.
        """
        names = dict.fromkeys((*self.beside, *self.strategies))
        others = [varied for varied in self.varied if varied.option is not _STRATEGY]
        found: dict[Specification, None] = {}
        for name in names:
            for values in product(*(varied.values for varied in others)):
                given = {v.option.name: value for v, value in zip(others, values, strict=True)}
                made = self._setting(name, given)
                check(made)
                # A dict as an ordered set: combinations that come to the same run (an option that
                # this strategy does not take) are one setting.
                found[with_defaults(made)] = None
        if len(found) * self.repeat > MOST_RUNS:
            raise PlanError(f"{len(found) * self.repeat:,} runs: use at most {MOST_RUNS:,}")
        return tuple(found)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Every run, in the order in which they are made.

        Each setting has its turn before any has its next one, so that what changes on the machine
        meets all of them; within a round their order is random, but always the same.
        """
        # A sweep that is taken up again has to find the same order, so the seed is part of what is
        # asked.
        generator = np.random.default_rng(self.shuffle)
        orders = (generator.permutation(len(self.settings)) for _ in range(self.repeat))
        return tuple(
            Point(setting, turn)
            for turn, order in enumerate(orders, 1)
            for setting in order.tolist()
        )

    @cached_property
    def along(self) -> Varied | None:
        """What the results are drawn along: the first option that is varied in numbers, if any."""
        several = (varied for varied in self.varied if len(varied.values) > 1)
        return next((varied for varied in several if varied.is_number), None)

    def single_of(self, setting: Specification) -> Specification:
        """The same work on one of the same lanes."""
        return with_defaults(self._setting(SINGLE, values_by_name(setting)))

    def differing(self, setting: Specification) -> Iterator[tuple[Option[Any], Value]]:
        """In what a setting differs from others: its strategy and its values of varied options."""
        taken, values = _taken(setting.strategy), values_by_name(setting)
        if len({*self.beside, *self.strategies}) > 1:
            yield _STRATEGY, setting.strategy
        for varied in self.varied:
            option = varied.option
            if option is not _STRATEGY and (option not in STRATEGY_OPTIONS or option in taken):
                yield option, values[option.name]

    def _setting(self, strategy: str, given: dict[str, Value]) -> Specification:
        """The base with other values; what only the other strategies take is left out."""
        values = values_by_name(self.base) | given | {"strategy": strategy, "calibrate": False}
        # An option that no strategy in question takes is left in, to be refused by `check` with its
        # reason; one that only others take is none of this one.
        asked = {option for name in self.strategies for option in _taken(name)}
        beside = strategy not in self.strategies
        for option in STRATEGY_OPTIONS:
            if option not in _taken(strategy) and (beside or option in asked):
                values[option.name] = option.default
        # Where a sweep tries both to balance and not to, the limit is for the runs that balance.
        if not given.get(BALANCE.name, True):
            values[LANE_MEMORY.name] = None
        return specification_of(values)


def sweep_of(
    given: Mapping[str, str | None], beside: tuple[str, ...] = BESIDE, repeat: int = REPEATS,
    shuffle: int = 0,
) -> Sweep:  # fmt: skip
    """The sweep over options given as texts, by their names; one value is the same in every run.

    Raises PlanError, in one line, for what cannot be read.
    """
    lists = {o: read_values(o, text) for o in SWEPT if (text := given.get(o.name)) is not None}
    base = specification_of({option.name: values[0] for option, values in lists.items()})
    varied = tuple(Varied(option, values) for option, values in lists.items() if len(values) > 1)
    return Sweep(base, varied, beside, repeat, shuffle)


def sweep_along(base: Specification, option: Option[Any], text: str, sweep: Sweep) -> Sweep:
    """The same sweep of one option alone, on top of other settings.

    What the option excludes is left out of these. Raises PlanError.
    """
    if option.excludes:
        base = base.having(**{option.excludes: None})
    return replace(sweep, base=base, varied=(Varied(option, read_values(option, text)),))


def values_by_name(specification: Specification) -> dict[str, Value]:
    """Every option's value, the model's among them."""
    return {option.name: value for option, value in specification.values}


def _taken(strategy: str) -> tuple[Option[Any], ...]:
    return STRATEGIES[strategy].options if strategy in STRATEGIES else ()
