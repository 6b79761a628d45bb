"""Messages: English by `str()`, another language by a catalogue, whole after a process boundary."""

from __future__ import annotations

import json
import pickle
from gettext import NullTranslations
from io import BytesIO

from core.counts import lanes_text
from core.engine.client import receive
from core.engine.messages import Ended, Outcome, send
from core.errors import PlanError
from core.message import (
    Message,
    counted,
    error_message,
    join_texts,
    list_texts,
    message,
    text_from_plain,
    text_to_plain,
)


class Shouting(NullTranslations):
    """A catalogue whose translations are capitals with the places of their texts."""

    def gettext(self, message: str) -> str:
        known = {
            "{a} of {b}": "{b}: {a!r}",
            "no {what}": "NO {what}",
            "{items}, {item}": "{items} + {item}",
        }
        return known.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return "{n:,} LANES"


NESTED = message("{a} of {b}", a="x", b=lanes_text(1))


def test_english_has_the_right_plurals_also_inside() -> None:
    assert str(NESTED) == "x of 1 lane"
    assert str(message("{a} of {b}", a=1, b=lanes_text(1024))) == "1 of 1,024 lanes"
    assert str(counted("{n} task on {lane}", "{n} tasks on {lane}", 0, lane="a")) == "0 tasks on a"


def test_a_catalogue_translates_templates_and_messages_inside_but_no_values() -> None:
    assert NESTED.translated(Shouting()) == "1 LANES: 'x'"
    outer = message("no {what}", what=NESTED)
    assert outer.translated(Shouting()) == "NO 1 LANES: 'x'"


def test_joined_texts_are_translated_one_by_one() -> None:
    both = join_texts([lanes_text(2), message("no {what}", what="{x}")], ", ")
    assert str(both) == "2 lanes, no {x}"
    assert both.translated(Shouting()) == "2 LANES, NO {x}"
    assert str(join_texts([])) == ""


def test_braces_of_a_message_without_values_stay() -> None:
    assert str(message("use {}")) == "use {}"


def test_an_error_carries_its_message_also_as_the_value_of_another_one() -> None:
    error = PlanError(NESTED)
    assert str(error) == "x of 1 lane" and error_message(error) == NESTED
    assert message("no {what}", what=error) == message("no {what}", what=NESTED)
    assert error_message(ValueError("plain")) == "plain"


def test_a_message_is_whole_after_pickling_and_after_json() -> None:
    error = pickle.loads(pickle.dumps(PlanError(NESTED)))
    assert error_message(error) == NESTED
    assert text_from_plain(json.loads(json.dumps(text_to_plain(NESTED)))) == NESTED
    assert text_from_plain(json.loads(json.dumps(text_to_plain("plain")))) == "plain"


def test_the_reason_of_a_refusal_crosses_the_pipe_of_the_engine_whole() -> None:
    pipe = BytesIO()
    send(pipe, "ended", [Outcome.REFUSED, text_to_plain(NESTED)])
    pipe.seek(0)
    assert list(receive(pipe)) == [Ended(Outcome.REFUSED, NESTED)]


def test_values_that_json_does_not_know_cross_as_text() -> None:
    crossed = text_from_plain(json.loads(json.dumps(text_to_plain(message("{a}", a=[1])))))
    assert isinstance(crossed, Message) and str(crossed) == "[1]"


class Chinese(NullTranslations):
    """A catalogue with two texts."""

    def gettext(self, text: str) -> str:
        return {"waits for {lane} to end": "等待 {lane} 结束", "another lane": "其他通道"}.get(
            text, text
        )


def test_chinese_text_in_chinese_text_has_no_spaces_next_to_it() -> None:
    other = message("waits for {lane} to end", lane=message("another lane"))
    assert other.translated(Chinese()) == "等待其他通道结束"
    named = message("waits for {lane} to end", lane="virtual:3")
    assert named.translated(Chinese()) == "等待 virtual:3 结束"


def test_a_list_has_the_commas_of_the_language() -> None:
    listed = list_texts([lanes_text(2), message("no {what}", what="x"), "y"])
    assert str(listed) == "2 lanes, no x, y"
    assert isinstance(listed, Message) and listed.translated(Shouting()) == "2 LANES + NO x + y"
    assert list_texts(["x"]) == "x" and list_texts([]) == ""
