"""Declaration of a run's settings.

Each setting is declared once, as an `Option`. Its validation, its command-line argument, its field
in the form and its line in the docs are derived from that. A setting that every run has is a field
of a dataclass (`Option.field`, read by `option_values`). An option that only some strategies take
is listed in `Strategy.options`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Generic, Literal, Protocol, TypeVar

from core.message import Message, Text, error_message, message

T = TypeVar("T")
OptionValue = int | float | str | bool | None


class OptionGroup(StrEnum):
    """Subject of a setting, in the order in which the help, the form and the docs list them."""

    STRATEGY = "strategy"
    MODEL = "model"
    RUN = "run"
    FAULTS = "faults"


class RunSettings(Protocol):
    """A run's settings: `settings[option]` is the value given, or the option's default."""

    @property
    def strategy(self) -> str:
        """Name of the run's strategy."""

    @property
    def devices(self) -> str:
        """Requested devices, as given."""

    @property
    def warmup(self) -> int:
        """Number of steps before the measured ones."""

    @property
    def seed(self) -> int:
        """Seed of parameters, data and jitter."""

    def __getitem__(self, option: Option[T]) -> T: ...


# eq=False: options are dict keys, compared by identity; hashing all fields would fail at `choices`.
@dataclass(frozen=True, eq=False, slots=True)
class Option(Generic[T]):
    """One setting, whose type is `kind`: int, float, str or bool.

    - `help` is one sentence: the argument's help, the field's tooltip and the docs' description.
    - `label` names the field in the form, by default after `name`; with "" there is no field.
    - `usual` describes the behaviour if the value is None.
    - `unit` names the quantity that a number counts, and is the value's placeholder in the help.
    - Numbers range from `least` to `most`.
    - A text is one of `choices`, or a file name that ends in `suffix`, or accepted by `reads`,
      which raises ValueError, naming the option, for any other.
    - `repeated`: several words, joined by spaces; on the command line, several arguments.
    - `excludes` names an option that cannot be given together with this one.
    - `unused` returns True if the setting has no effect with the other settings.
    - `is_output`: the value names a file that the run writes.
    - `runs_only`: changes how a step is run, but not its plan.
    - `rare`: seldom set; the form shows it in a separate section.
    - `contrast` has two texts for the difference between runs with the values `a` and `b`: one for
      `b` = 1, one for any other. If it is empty, the difference is not described.
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
    group: OptionGroup = OptionGroup.RUN
    excludes: str = ""
    unused: Callable[[RunSettings], bool] = lambda settings: False
    is_output: bool = False
    runs_only: bool = False
    rare: bool = False
    contrast: tuple[str, str] | tuple[()] = ()

    def field(self) -> T:
        """Return a dataclass field for this setting."""
        # The key is the class itself, so that it cannot collide with other metadata.
        made: T = field(default=self.default, metadata={Option: self})
        return made

    @property
    def title(self) -> str:
        """Label in the form, or "" if the form does not have the setting."""
        if self.label is not None:
            return self.label
        return self.name.replace("_", " ").capitalize()

    @property
    def flag(self) -> str:
        """The option on the command line: `--split-size`, `--no-calibrate`."""
        if self.default is True:
            return flag_of(f"no_{self.name}")
        return flag_of(self.name)

    @property
    def otherwise(self) -> str:
        """Behaviour of a run that does not set the option, or "" for a switch."""
        if self.usual:
            return self.usual
        if self.kind is bool or self.default is None:
            return ""
        return f"{self.default}"

    def problem(self, value: OptionValue) -> Text:
        """Return the error text for an invalid value, with the accepted ones; "" if it is valid."""
        if value is None or self.kind is bool:
            return ""
        if isinstance(value, str):
            return self._text_problem(value)
        if self.least <= value <= self.most:
            return ""
        if self.unit == "n":
            return message(
                "{flag} {value}: use {least:,} or more, at most {most:,}",
                flag=self.flag,
                value=value,
                least=self.least,
                most=self.most,
            )
        return message(
            "{flag} {value}: use {least:,} or more, at most {most:,} {unit}",
            flag=self.flag,
            value=value,
            least=self.least,
            most=self.most,
            unit=Message(self.unit),
        )

    def _text_problem(self, value: str) -> Text:
        if self.reads is not None:
            try:
                self.reads(value)
            except ValueError as error:
                return error_message(error)
        is_file = bool(self.suffix) and value.endswith(self.suffix)
        if not self.choices or value in self.choices or is_file:
            return ""
        if not self.suffix:
            accepted = listed(list(self.choices))
            return message(
                "{flag} {value!r}: use {accepted}", flag=self.flag, value=value, accepted=accepted
            )
        return message(
            "there is no {name} {value!r}; use {known} or a file that ends in {suffix}",
            name=self.name,
            value=value,
            known=", ".join(self.choices),
            suffix=self.suffix,
        )


def flag_of(name: str) -> str:
    """Return the command-line flag of a setting."""
    return f"--{name.replace('_', '-')}"


def option_values(settings: Any) -> Iterator[tuple[Option[Any], OptionValue]]:
    """Yield the options that are fields of a dataclass instance, with their values."""
    for each in fields(settings):
        option = each.metadata.get(Option)
        if option is not None:
            yield option, getattr(settings, each.name)


def with_options(
    options: Sequence[Option[Any]], before: str | None = None
) -> Callable[[type[T]], type[T]]:
    """Add `options` as fields to a dataclass, before the field `before` or at the end.

    Used as a decorator below `@dataclass`.
    """

    def add(kind: type[T]) -> type[T]:
        names = list(kind.__annotations__)
        first = len(names) if before is None else names.index(before)
        # Fields follow the order of the annotations, so remove later ones and append them again.
        later = {name: kind.__annotations__.pop(name) for name in names[first:]}
        for option in options:
            kind.__annotations__[option.name] = option.kind | None
            setattr(kind, option.name, option.field())
        kind.__annotations__.update(later)
        return kind

    return add


def listed(names: Sequence[str], last: Literal["or", "and"] = "or") -> Text:
    """Join names to `a, b or c`, for messages that list accepted values."""
    if len(names) < 2:
        return "".join(names)
    others = ", ".join(names[:-1])
    if last == "and":
        return message("{others} and {last}", others=others, last=names[-1])
    return message("{others} or {last}", others=others, last=names[-1])
