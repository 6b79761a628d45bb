"""What a setting of a run is: its check, its argument, its field and its line in the docs follow.

A setting that every run has is a field of a dataclass (`Option.field`, read back by `values_of`);
one that only some strategies take is listed by these (`Strategy.options`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
Value = int | float | str | bool | None


class Group(StrEnum):
    """What a setting is about, in the order in which help, form and docs list them."""

    STRATEGY = "strategy"
    MODEL = "model"
    RUN = "run"
    FAULTS = "faults"


class Settings(Protocol):
    """A run's settings: `settings[option]` is what was asked for, or the option's default."""

    @property
    def strategy(self) -> str:
        """The name of the run's strategy."""

    @property
    def devices(self) -> str:
        """The devices as they are asked for."""

    @property
    def warmup(self) -> int:
        """Steps before the measured ones."""

    @property
    def seed(self) -> int:
        """Seed of parameters, data and jitter."""

    def __getitem__(self, option: Option[T]) -> T: ...


# eq=False: options are keys, found by identity; a hash of all fields would fail at `choices`.
@dataclass(frozen=True, eq=False, slots=True)
class Option(Generic[T]):
    """One setting, of which `kind` is the type: int, float, str or bool.

    `help` is one sentence: the argument's help, the field's tooltip and the docs' description.
    `label` names the field, if not the name itself does; one whose label is empty has no field.
    Where `default` is None, `usual` says what is done then. Numbers are `least` to `most` and count
    what `unit` names, which also stands for the value in help texts and beside a switch. A word is
    one of `choices`, or with `suffix` the name of a file that ends in it; or it is what `reads` can
    read, which raises ValueError, naming the option, for any other. Where it is `repeated`, several
    words are one text, with spaces between, and several arguments on the command line. Of two that
    exclude each other only one can be given. `unused` says why the setting is of no use beside the
    others; nothing where it is. One with `runs_only` changes how a step is run, but not what is
    planned. A `rare` one is seldom set, and stands apart in the form. `contrast` is said of two
    runs whose values are `a` and `b`, for a `b` of 1 and for any other; without it nothing is.
    """

    name: str
    kind: type[int | float | str | bool]
    help: str
    usual: str = ""
    unit: str = "n"
    default: T = None  # type: ignore[assignment]
    label: str | None = None
    least: int | float = 1
    most: int | float = math.inf
    choices: Collection[str] = ()
    suffix: str = ""
    reads: Callable[[str], object] | None = None
    repeated: bool = False
    group: Group = Group.RUN
    excludes: str = ""
    unused: Callable[[Settings], str] = lambda settings: ""
    runs_only: bool = False
    rare: bool = False
    contrast: tuple[str, str] | tuple[()] = ()

    def field(self) -> T:
        """A dataclass's field that is this setting."""
        # The class itself is the key: nobody else's metadata can be meant.
        made: T = field(default=self.default, metadata={Option: self})
        return made

    @property
    def title(self) -> str:
        """What the form calls it; nothing if it is not in the form."""
        return self.name.replace("_", " ").capitalize() if self.label is None else self.label

    @property
    def flag(self) -> str:
        """As the command line writes it: `--split-size`, `--no-calibrate`."""
        return flag_of(f"no_{self.name}" if self.default is True else self.name)

    @property
    def otherwise(self) -> str:
        """What a run does without the setting, in words; nothing for a switch."""
        return self.usual or (
            "" if self.kind is bool or self.default is None else f"{self.default}"
        )

    def problem(self, value: Value) -> str:
        """Why a run cannot have the value, with what is accepted; nothing if it can."""
        if value is None or self.kind is bool:
            return ""
        if not isinstance(value, str):
            unit = "" if self.unit == "n" else f" {self.unit}"
            use = f"use {self.least:,} or more, at most {self.most:,}{unit}"
            return "" if self.least <= value <= self.most else f"{self.flag} {value}: {use}"
        if self.reads is not None:
            try:
                self.reads(value)
            except ValueError as error:
                return str(error)
        if (
            not self.choices
            or value in self.choices
            or (self.suffix and value.endswith(self.suffix))
        ):
            return ""
        if not self.suffix:
            return f"{self.flag} {value!r}: use {listed(list(self.choices))}"
        known = ", ".join(self.choices)
        return (
            f"there is no {self.name} {value!r}; use {known} or a file that ends in {self.suffix}"
        )


def flag_of(name: str) -> str:
    """A setting's name as the command line writes it."""
    return f"--{name.replace('_', '-')}"


def values_of(settings: Any) -> Iterator[tuple[Option[Any], Value]]:
    """The settings that are fields of a dataclass's instance, and what they are."""
    found = ((f.metadata.get(Option), getattr(settings, f.name)) for f in fields(settings))
    return ((option, value) for option, value in found if option is not None)


def with_options(
    options: Sequence[Option[Any]], before: str | None = None
) -> Callable[[type[T]], type[T]]:
    """Decorates a dataclass in the making: `options` are fields too, `before` one, or the last."""

    def add(kind: type[T]) -> type[T]:
        names = list(kind.__annotations__)
        first = len(names) if before is None else names.index(before)
        # A dataclass takes its fields in this order: later ones are put back behind.
        later = {name: kind.__annotations__.pop(name) for name in names[first:]}
        for option in options:
            kind.__annotations__[option.name] = option.kind | None
            setattr(kind, option.name, option.field())
        kind.__annotations__.update(later)
        return kind

    return add


def listed(names: Sequence[str], last: str = "or") -> str:
    """`a, b or c`, for messages that say what is accepted."""
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
