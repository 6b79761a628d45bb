"""A few command lines of the fuzzer; `make fuzz` runs 3,000. And what it would find is found."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Iterator

import pytest

pytest.importorskip("torch")
pytest.importorskip("PySide6", reason="Qt is not installed")
if sys.platform != "linux":
    pytest.skip("it reads /proc", allow_module_level=True)

from tests.fuzz.commands.drive import Fuzzer, fuzzer, go_on
from tests.fuzz.commands.grammar import (
    ENGINE,
    Invocation,
    commands,
    draw,
    unknown_options,
)
from tests.fuzz.commands.oracle import wrongs

SEED = 0
COUNT = 16
ENDED = {"status": 0, "asked_s": None, "left": [], "seconds": 0.1}
MADE = Invocation(0, "export", ("export", "own.arrow", "--image", "made.png"), ("made.png",))


@pytest.fixture(scope="module")
def made_fuzzer() -> Iterator[Fuzzer]:
    """A fuzzer for all tests: its process imports what commands need, once."""
    with fuzzer() as made:
        yield made


def test_command_lines_end_well_or_in_one_line_and_change_nothing_else(
    made_fuzzer: Fuzzer,
) -> None:
    parsers = commands()
    drawn = (draw(SEED, number, parsers) for number in range(10 * COUNT))
    # Those that start torch or a window take seconds each.
    quick = [one for one in drawn if one.command not in (*ENGINE, "open", "listen")][:COUNT]
    found = {one.words: made_fuzzer.run(one)["wrong"] for one in quick}
    assert len(quick) == COUNT
    assert {words: wrong for words, wrong in found.items() if wrong} == {}


def test_the_grammar_has_a_good_value_for_every_option() -> None:
    assert unknown_options() == set()


def test_a_seed_gives_the_same_command_lines_again() -> None:
    parsers = commands()
    once, again = ([draw(5, number, parsers) for number in range(50)] for _ in range(2))
    assert once == again
    assert [draw(6, number, parsers) for number in range(50)] != once


def test_a_fuzzer_of_commands_goes_on_where_it_stopped(tmp_path) -> None:
    assert [one["number"] for one in go_on(1, 1, tmp_path)] == [0]
    kept = (tmp_path / "commands-1.jsonl").read_text()
    assert len(go_on(1, 1, tmp_path)) == 1
    assert (tmp_path / "commands-1.jsonl").read_text() == kept


@pytest.mark.parametrize(
    ("answer", "errors", "wrong"),
    [
        ({"status": 2}, "bubblescope: Traceback (most recent call last)\n", "a traceback"),
        ({"status": 2}, "bubblescope: one\nbubblescope: two\n", "exactly one line"),
        ({"status": 2}, "", "exactly one line"),
        ({"status": 2}, "bubblescope: KeyError: 3\n", "an error of Python's own"),
        ({"status": 2}, f"bubblescope: {'x' * 3000}\n", "characters"),
        ({"status": 0}, "something\n", "words on standard error"),
        ({"status": -11}, "", "status -11"),
        ({"status": 130}, "bubblescope: interrupted\n", "without a signal"),
        ({"status": 130, "asked_s": 0.1}, "bubblescope: interrupted\n", "takes more than"),
        ({"status": None, "asked_s": 9.0}, "", "hangs"),
        ({"left": ["sleep 60"]}, "", "a process stays behind: sleep 60"),
    ],
)
def test_whatever_a_command_does_wrong_is_found(answer, errors, wrong) -> None:
    (found,) = wrongs(MADE, {**ENDED, **answer}, errors, {}, {})
    assert wrong in found


@pytest.mark.parametrize(
    ("status", "before", "after", "wrong"),
    [
        (0, {"work/own.arrow": "a"}, {"work/own.arrow": "b"}, "changed: 'work/own.arrow'"),
        (0, {"work/own.arrow": "a"}, {}, "changed: 'work/own.arrow'"),
        (0, {}, {"tmp/spill": "a"}, "left behind: 'tmp/spill'"),
        (0, {}, {"home/x": "a"}, "left behind: 'home/x'"),
        (2, {}, {"work/made.png": "a"}, "refused, and yet written: 'work/made.png'"),
    ],
)
def test_whatever_a_command_changes_unasked_is_found(status, before, after, wrong) -> None:
    errors = "bubblescope: no\n" if status else ""
    assert wrongs(MADE, {**ENDED, "status": status}, errors, before, after) == [wrong]


def test_what_was_asked_for_is_not_wrong() -> None:
    assert wrongs(MADE, ENDED, "warning: it was cut\n", {}, {"work/made.png": "a"}) == []
    asked = {**ENDED, "status": -signal.SIGTERM, "asked_s": 0.1}
    early = Invocation(0, "plan", ("plan",), (), ask_s=0.1)
    assert wrongs(early, asked, "", {}, {}) == []


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
def test_files_that_nobody_may_read_are_none_for_the_fuzzer_either(made_fuzzer: Fuzzer) -> None:
    secret = Invocation(0, "summary", ("summary", "secret.arrow"), ())
    result = made_fuzzer.run(secret)
    assert result["status"] == 2 and "Permission denied" in result["errors"]
