"""A sweep: the settings that are run, the number of repeats, and the order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from core.errors import PlanError
from core.message import message
from core.option import Option, OptionValue
from core.plan.pipeline.options import BALANCE, LANE_MEMORY
from core.plan.planning import check
from core.plan.specification import STRATEGY_OPTIONS, Specification, specification_of, with_defaults
from core.plan.strategies import STRATEGIES, mp, single
from core.sweep.values import SWEPT, read_values

SINGLE = single.STRATEGY.name
REFERENCES = (SINGLE, mp.STRATEGY.name)
"""Strategies that are run for reference by default."""
REPEATS = 3
MOST_RUNS = 100_000
_STRATEGY = next(option for option in SWEPT if option.name == "strategy")


@dataclass(frozen=True, slots=True)
class Varied:
    """An option and the values that a sweep tries; None is the option's default."""

    option: Option[Any]
    values: tuple[OptionValue, ...]

    @property
    def is_number(self) -> bool:
        """True if the values are numbers, which can be drawn as a curve."""
        if self.option.kind not in (int, float):
            return False
        return all(isinstance(value, int | float) for value in self.values)


@dataclass(frozen=True, slots=True)
class Point:
    """One run: the position of its setting in `Sweep.settings`, and its repeat, from 1."""

    setting: int
    repeat: int


@dataclass(frozen=True)
class Sweep:
    """Every combination of the values of the `varied` options, `repeat` times, applied to `base`.

    The strategies `references` are run for reference, with the options that they take.
    `shuffle` is the seed of the order. Runs do not measure costs, because nothing is predicted.
    """

    base: Specification
    varied: tuple[Varied, ...] = ()
    references: tuple[str, ...] = REFERENCES
    repeat: int = REPEATS
    shuffle: int = 0

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """The strategies that are swept, without `references`."""
        for varied in self.varied:
            if varied.option is _STRATEGY:
                return tuple(map(str, varied.values))
        return (self.base.strategy,)

    @cached_property
    def settings(self) -> tuple[Specification, ...]:
        """Every setting once, with explicit defaults; `references` are first.

        Combinations that differ only in options that a strategy does not take are one setting.
        Raises PlanError, in one line, for the first setting that no machine could run.
        """
        strategies = dict.fromkeys((*self.references, *self.strategies))
        others = [varied for varied in self.varied if varied.option is not _STRATEGY]
        names = [varied.option.name for varied in others]
        combinations = list(product(*(varied.values for varied in others)))
        # A dict as an ordered set.
        found: dict[Specification, None] = {}
        for strategy in strategies:
            for values in combinations:
                given = dict(zip(names, values, strict=True))
                made = self._setting(strategy, given)
                check(made)
                found[with_defaults(made)] = None
        runs = len(found) * self.repeat
        if runs > MOST_RUNS:
            raise PlanError(
                message("{found:,} runs: use at most {most:,}", found=runs, most=MOST_RUNS)
            )
        return tuple(found)

    @property
    def own_files(self) -> set[str]:
        """The user's files that the runs read: models, schedules."""
        files: set[str] = set()
        for setting in self.settings:
            files.update(setting.own_files)
        return files

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Every run, in the order of execution.

        Each setting is run once before any is run again, so that changes of the machine affect all
        of them. Within a round the order is random but reproducible.
        """
        # A fixed seed, because a continued sweep needs the same order again.
        generator = np.random.default_rng(self.shuffle)
        points: list[Point] = []
        for repeat in range(1, self.repeat + 1):
            order = generator.permutation(len(self.settings)).tolist()
            points += [Point(setting, repeat) for setting in order]
        return tuple(points)

    @cached_property
    def axis(self) -> Varied | None:
        """The option on the horizontal axis: the first with several numbers, or None."""
        for varied in self.varied:
            if varied.is_number and len(varied.values) > 1:
                return varied
        return None

    def single_of(self, setting: Specification) -> Specification:
        """Return the setting that does the same work on a single lane."""
        return with_defaults(self._setting(SINGLE, values_by_name(setting)))

    def differing(self, setting: Specification) -> Iterator[tuple[Option[Any], OptionValue]]:
        """Yield the options that distinguish a setting: its strategy and the varied options."""
        taken = _options_of(setting.strategy)
        values = values_by_name(setting)
        if len({*self.references, *self.strategies}) > 1:
            yield _STRATEGY, setting.strategy
        for varied in self.varied:
            option = varied.option
            applies = option not in STRATEGY_OPTIONS or option in taken
            if applies and option is not _STRATEGY:
                yield option, values[option.name]

    def _setting(self, strategy: str, given: dict[str, OptionValue]) -> Specification:
        """Return the base with other values, without options that only other strategies take."""
        values = values_by_name(self.base) | given
        values["strategy"] = strategy
        values["calibrate"] = False
        # An option that no swept strategy takes is kept, so that `check` refuses it with a reason.
        taken_by_some: set[Option[Any]] = set()
        for name in self.strategies:
            taken_by_some.update(_options_of(name))
        is_reference = strategy not in self.strategies
        for option in STRATEGY_OPTIONS:
            is_dropped = is_reference or option in taken_by_some
            if is_dropped and option not in _options_of(strategy):
                values[option.name] = option.default
        # In a sweep over `--balance yes,no` the memory limit applies to the balanced runs only.
        if not given.get(BALANCE.name, True):
            values[LANE_MEMORY.name] = None
        return specification_of(values)


def sweep_of(
    given: Mapping[str, str | None],
    references: tuple[str, ...] = REFERENCES,
    repeat: int = REPEATS,
    shuffle: int = 0,
) -> Sweep:
    """Return the sweep over options given as texts by name; options with one value are fixed.

    Raises PlanError, in one line, for an invalid text.
    """
    listed: dict[str, tuple[OptionValue, ...]] = {}
    for option in SWEPT:
        text = given.get(option.name)
        if text is not None:
            listed[option.name] = read_values(option, text)
    return sweep_of_values(listed, references, repeat, shuffle)


def sweep_of_values(
    given: Mapping[str, tuple[OptionValue, ...]],
    references: tuple[str, ...] = REFERENCES,
    repeat: int = REPEATS,
    shuffle: int = 0,
) -> Sweep:
    """Return the sweep over options given as values by name; options with one value are fixed."""
    first_values: dict[str, OptionValue] = {}
    varied: list[Varied] = []
    for option in SWEPT:
        values = given.get(option.name)
        if not values:
            continue
        first_values[option.name] = values[0]
        if len(values) > 1:
            varied.append(Varied(option, values))
    return Sweep(
        base=specification_of(first_values),
        varied=tuple(varied),
        references=references,
        repeat=repeat,
        shuffle=shuffle,
    )


def sweep_over(base: Specification, option: Option[Any], text: str, sweep: Sweep) -> Sweep:
    """Return `sweep` over one option, with another base.

    The option that it excludes is reset in the base. Raises PlanError.
    """
    if option.excludes:
        base = base.having(**{option.excludes: None})
    varied = Varied(option, read_values(option, text))
    return replace(sweep, base=base, varied=(varied,))


def values_by_name(specification: Specification) -> dict[str, OptionValue]:
    """Return the values of all options by name, including the model's."""
    return {option.name: value for option, value in specification.values}


def _options_of(strategy: str) -> tuple[Option[Any], ...]:
    return STRATEGIES[strategy].options if strategy in STRATEGIES else ()
