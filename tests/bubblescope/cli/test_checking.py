"""The command `check`, without its process."""

import argparse
import json

import pytest

from bubblescope.api.running import RunError
from bubblescope.cli import checking
from core.check.measured import ClockWidth, Contention, Failed, NotMeasured

GOOD = [ClockWidth("cpu", 45), NotMeasured("GradientError", "ddp", "there was no time left")]


class Client:
    measured = GOOD

    def __init__(self, folder):
        self.is_over = False

    def poll(self):
        self.is_over = True
        return self.measured

    def close(self):
        pass


@pytest.fixture
def check(monkeypatch):
    def run(measured, json=False, folder=None):
        monkeypatch.setattr(Client, "measured", measured)
        return checking.check_machine(argparse.Namespace(json=json, folder=folder))

    monkeypatch.setattr(checking, "CheckClient", Client)
    monkeypatch.setattr(checking, "POLL_SECONDS", 0)
    return run


def test_good_times_are_status_0_and_a_table(check, capsys):
    assert check(GOOD) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["check", "of", "measured"]
    assert lines[1].split() == ["clock", "of", "the", "device", "cpu", "±", "45", "ns", "yes"]
    assert lines[2].endswith("not measured: there was no time left")
    assert lines[-1] == "The times of this machine can be trusted."


def test_a_bad_line_is_status_1(check, capsys):
    assert check([*GOOD, Contention(3, 0.5)]) == 1
    assert "50 % of the core lost" in capsys.readouterr().out


def test_json_has_the_values_and_the_verdicts(check, capsys):
    assert check([*GOOD, Contention(3, 0.5)], json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "no"
    assert told["checks"][0]["values"] == {"device": "cpu", "half_width": 45}
    assert told["checks"][-1]["verdict"] == "no"


def test_the_folder_gets_the_table(check, tmp_path, capsys):
    folder = tmp_path / "this machine"
    assert check(GOOD, folder=str(folder)) == 0
    assert (folder / "check.txt").read_text() == capsys.readouterr().out
    assert json.loads((folder / "check.json").read_text())["verdict"] == "yes"


def test_a_check_that_breaks_off_is_an_error(check):
    with pytest.raises(RunError, match="torch cannot be imported"):
        check([Failed("torch cannot be imported")])
