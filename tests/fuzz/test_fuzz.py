"""A few damaged files for each reader; `make fuzz` opens many more."""

from __future__ import annotations

import pytest

pytest.importorskip("PySide6", reason="Qt is not installed")

from tests.fuzz.child import input_of
from tests.fuzz.drive import fuzz, go_on
from tests.fuzz.readers import READERS

COUNT = 40


# Bombs are in tests/core/recording/importers/test_bombs.py.
@pytest.mark.parametrize("name", [name for name in READERS if name != "bombs"])
def test_a_damaged_file_is_read_or_refused_in_one_line(name: str) -> None:
    found = fuzz(name, 0, 0, COUNT)
    assert found.failures == {}
    assert found.opened == COUNT


def test_a_seed_gives_the_same_files_again() -> None:
    valid = READERS["costs"].make()
    once, again = ([input_of("costs", 3, n, valid) for n in range(20)] for _ in range(2))
    assert once == again
    assert [input_of("costs", 4, n, valid) for n in range(20)] != once


def test_a_fuzzer_goes_on_where_it_stopped(tmp_path, capsys) -> None:
    assert go_on("marks", 5, 10, tmp_path).opened == 10
    capsys.readouterr()
    assert go_on("marks", 5, 10, tmp_path).opened == 10
    assert capsys.readouterr().out == ""
    assert go_on("marks", 5, 15, tmp_path).counts == fuzz("marks", 5, 0, 15).counts


WRONG = """
import ctypes, sys, time
from pathlib import Path
import tests.fuzz.child as child
from tests.fuzz.readers import READERS, Reader

seen = []
def open_wrongly(path, number):
    seen.append(path)
    if seen == [path]:  # the whole one
        return
    {wrong}

child.SECONDS = 1
child.CLOCK_SECONDS = {clock}
READERS["wrong"] = Reader(lambda: [("", b"whole")], open_wrongly, (ValueError,))
child.main(*sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("time.sleep(60)", "Timeout (0:00:01)"),
        ("ctypes.string_at(0)", "status -11"),
        ("try: bytes(3 << 30)\n    except MemoryError as e: raise ValueError(path) from e",
         "it takes more than 2 GB"),
        ("raise ValueError(f'{path}\\nis bad')", "the error is not one line"),
        ("raise ValueError('it is bad')", "the error does not name the file"),
    ],
)  # fmt: skip
def test_whatever_else_a_reader_does_is_found_and_named(tmp_path, wrong: str, why: str) -> None:
    # Only the reader that sleeps is to reach the limit, however busy the machine is.
    clock = 1 if why.startswith("Timeout") else 4
    (tmp_path / "wrong.py").write_text(WRONG.format(wrong=wrong, clock=clock))
    found = fuzz("wrong", 0, 0, 2, [str(tmp_path / "wrong.py")])
    assert len(found.failures) == 2, found
    assert all(why in text for text in found.failures.values()), found
