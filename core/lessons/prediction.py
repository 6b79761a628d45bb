"""Figures that a lesson's step asks the learner to predict, and the judgement of the guess.

    Predict: idle@2                    a number
    Predict: split                     several numbers of rows
    Predict: step_ms@2 against @1      smaller, about the same or larger

`@2` is the step's second run; without a number it is the last one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.lessons.figures import NUMBERS, SPLITS, Number, RunFigures, Unit, number_text
from core.lessons.straggler import CLOSE
from core.message import Message, message
from core.option import listed

SAME = 0.05  # relative difference up to which two figures are about the same
SAME_SHARE = 0.02  # the same for shares of the lanes' time, as a difference
CLOSE_SHARE = 0.05  # difference up to which the guess of a share is right
_REFERENCE = re.compile(r"([a-z_]+)(?:@([1-9]))?(?:\s+against\s+([a-z_]*)(?:@([1-9]))?)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_TYPED_UNITS = {Unit.TIME: 1e6, Unit.SHARE: 0.01, Unit.BYTES: 1e6}
"""Units in which a guess is typed: ms, per cent and MB, in ns, 1 and bytes."""
SIGNS = {Unit.TIME: "ms", Unit.SHARE: "%", Unit.BYTES: "MB", Unit.TIMES: "×"}


class PredictionError(ValueError):
    """The line `Predict:` of a step is wrong; the message says what is accepted."""


class Order(StrEnum):
    """Comparison of a figure with another one."""

    SMALLER = "smaller"
    SAME = "same"
    LARGER = "larger"


Guess = Order | tuple[float, ...]
"""A learner's prediction: an order, or the numbers as they were typed."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A figure of one of the step's runs; `run` is the run's position, from 0."""

    name: str
    run: int

    @property
    def number(self) -> Number:
        """The figure as a Number. Raises KeyError for a split."""
        return NUMBERS[self.name]

    @property
    def title(self) -> str:
        """The title of the figure, in English."""
        number = NUMBERS.get(self.name)
        if number is not None:
            return number.title
        return SPLITS[self.name]


@dataclass(frozen=True, slots=True)
class Prediction:
    """A figure to predict, or with `against`, its comparison with another figure."""

    figure: Reference
    against: Reference | None = None

    @property
    def is_split(self) -> bool:
        """True if several numbers of rows are asked for."""
        return self.figure.name in SPLITS

    @property
    def sign(self) -> str:
        """The unit in which a number is typed; "" if it has none."""
        if self.is_split:
            return ""
        return SIGNS.get(self.figure.number.unit, "")

    @property
    def is_of_time(self) -> bool:
        """True if smaller means shorter."""
        return not self.is_split and self.figure.number.unit is Unit.TIME


def read_prediction(text: str, runs: int) -> Prediction:
    """Parse the text after `Predict:` of a step with some runs. Raises PredictionError."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        raise PredictionError(
            message("{text!r}: use a figure, or two as in step_ms@2 against @1", text=text)
        )
    name, run, other, other_run = found.groups()
    figure = _reference(name, run, runs)
    if other is None:
        return Prediction(figure)
    against = _reference(other or name, other_run, runs)
    if figure.name in SPLITS or against.name in SPLITS or figure == against:
        raise PredictionError(message("{text!r}: these two cannot be compared", text=text))
    if figure.number.unit is not against.number.unit:
        raise PredictionError(message("{text!r}: the figures have different units", text=text))
    return Prediction(figure, against)


def _reference(name: str, run: str | None, runs: int) -> Reference:
    accepted = [*NUMBERS, *SPLITS]
    if name not in accepted:
        raise PredictionError(message("{name!r}: use {names}", name=name, names=listed(accepted)))
    place = runs if run is None else int(run)
    if place > runs:
        raise PredictionError(
            message("{name}@{run}: the step has fewer runs", name=name, run=place)
        )
    return Reference(name, place - 1)


def guess_of(prediction: Prediction, text: str) -> Guess | None:
    """Parse a learner's answer to the question; None if it is not an answer."""
    words = text.strip().lower()
    if prediction.against is not None:
        if words not in tuple(Order):
            return None
        return Order(words)
    if prediction.is_split:
        return tuple(map(float, re.findall(r"\d+", words))) or None
    numbers = _NUMBER.findall(words)
    if len(numbers) != 1:
        return None
    return (float(numbers[0].replace(",", ".")),)


def judged_guess(prediction: Prediction, guess: Guess, runs: Sequence[RunFigures]) -> Message:
    """Return a sentence that judges a guess and gives the measured value."""
    figure = prediction.figure
    if prediction.against is not None:
        return _judged_order(prediction, guess, runs)
    true_text = runs[figure.run].texts[figure.name]
    is_close = False
    if prediction.is_split:
        guess_text = " + ".join(f"{rows:g}" for rows in guess)
    else:
        unit = figure.number.unit
        value = float(guess[0]) * _TYPED_UNITS.get(unit, 1)
        is_close = _is_close(value, runs[figure.run].numbers[figure.name], unit)
        guess_text = number_text(value, unit)
    if guess_text == true_text:
        return message("You predicted {guess}: right.", guess=guess_text)
    if is_close:
        return message(
            "You predicted {guess}; it is {true}: close.", guess=guess_text, true=true_text
        )
    return message("You predicted {guess}; it is {true}.", guess=guess_text, true=true_text)


def _is_close(guess: float, true: float | None, unit: Unit) -> bool:
    if true is None:
        return False
    if unit is Unit.COUNT:
        return guess == true
    if unit is Unit.SHARE:
        return abs(guess - true) <= CLOSE_SHARE
    return abs(guess - true) <= CLOSE * abs(true)


def _judged_order(prediction: Prediction, guess: Guess, runs: Sequence[RunFigures]) -> Message:
    true = _order(prediction, runs)
    if true is None:
        return message("The runs lack a figure that the question needs.")
    guessed = order_text(Order(str(guess)), prediction.is_of_time)
    if guess is true:
        return message("You predicted {guess}: right.", guess=guessed)
    return message(
        "You predicted {guess}; it is {true}.",
        guess=guessed,
        true=order_text(true, prediction.is_of_time),
    )


def _order(prediction: Prediction, runs: Sequence[RunFigures]) -> Order | None:
    """Compare the two figures; None if a run lacks one.

    Differences within the usual scatter of runs count as the same.
    """
    figure = prediction.figure
    against = prediction.against
    assert against is not None
    one = runs[figure.run].numbers[figure.name]
    other = runs[against.run].numbers[against.name]
    if one is None or other is None:
        return None
    is_share = figure.number.unit is Unit.SHARE
    least = SAME_SHARE if is_share else SAME * max(abs(one), abs(other))
    if abs(one - other) <= least:
        return Order.SAME
    return Order.SMALLER if one < other else Order.LARGER


def order_text(order: Order, is_of_time: bool) -> Message:
    """Return an order in words: times are `shorter`, everything else is `smaller`."""
    if order is Order.SAME:
        return message("about the same")
    if is_of_time:
        return message("shorter") if order is Order.SMALLER else message("longer")
    return message("smaller") if order is Order.SMALLER else message("larger")
