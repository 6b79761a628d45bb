"""Numbers of thousands of digits, which Python refuses to parse, are refused in our own words."""

import pytest

from bubblescope.cli.start import run_arguments
from tests.make_believe import record, specification

LINES = [
    "lesson {}",
    "listen --address 127.0.0.1:{}",
    "plan --borders {}",
    "export own.arrow --image own.png --lanes {}",
    "export own.arrow --image own.png --lanes 0-{}",
    "export own.arrow --image own.png --steps {}",
    "export own.arrow --table own.csv --where block:{}",
    "export own.arrow --table own.csv --where F{}",
    "export own.arrow --table own.csv --where >{}ns",
    "compare own.arrow own.arrow --step-a {}",
]


@pytest.mark.parametrize("line", LINES)
def test_a_number_of_thousands_of_digits_is_refused(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    record(specification(steps=2), tmp_path / "own.arrow")
    assert run_arguments(line.format("9" * 5000).split()) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "Exceeds the limit" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["own.arrow"]
