"""The command `check`, without its process."""

import argparse
import json
from xml.etree import ElementTree

import pytest

from bubblescope.api.running import RunError
from bubblescope.cli import checking
from core.check.measured import ClockWidth, Contention, Failed, NotMeasured
from core.check.picture import step_picture
from core.errors import PlanError
from core.paths import PROJECT_ROOT
from core.plain import duration_text
from core.plan.specification import Specification
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.report.summary import summarise
from tests.core.helpers import SMALL, plan_of, trace_of

SVG = "{http://www.w3.org/2000/svg}"
GOOD = [ClockWidth("cpu", 45), NotMeasured("GradientError", "ddp", "there was no time left")]


class Client:
    measured = GOOD
    given = None

    def __init__(self, folder, full):
        self.is_over = False
        Client.given = folder, full

    def poll(self):
        self.is_over = True
        return self.measured

    def close(self):
        pass


@pytest.fixture
def check(monkeypatch):
    def run(measured, json=False, folder=None, full=False):
        monkeypatch.setattr(Client, "measured", measured)
        given = argparse.Namespace(json=json, folder=folder, full=full)
        return checking.check_machine(given)

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


def test_a_full_check_is_asked_for_with_the_folder_of_its_recordings(check, tmp_path, capsys):
    check(GOOD)
    assert Client.given == ("", False)
    check(GOOD, folder=str(tmp_path), full=True)
    assert Client.given == (str(tmp_path), True)


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


def made_run():
    specification = Specification(
        "pipeline", SMALL, "2xvirtual", batch=8, schedule="zb-h1", warmup=0, steps=1
    )
    plan = plan_of(specification)
    return trace_of(plan, [10_000 * (1 + task.index) for task in plan.tasks], specification)


def test_every_recording_of_the_check_gets_a_picture_and_a_line(
    check, tmp_path, capsys, monkeypatch
):
    trace = made_run()

    def poll(client):
        """Measure as the check's process does, which saves recordings in its folder."""
        for _ in write_recording(trace, tmp_path / "zb-h1.arrow"):
            pass
        (tmp_path / "cut.arrow").write_bytes(b"no recording")
        client.is_over = True
        return GOOD

    monkeypatch.setattr(Client, "poll", poll)
    assert check(GOOD, folder=str(tmp_path)) == 0
    picture = (tmp_path / "zb-h1.svg").read_text()
    labels = [element.text for element in ElementTree.fromstring(picture).iter(f"{SVG}title")]
    assert labels == [
        f"{span.label} {span.kind}, {duration_text(span.end - span.start)}" for span in trace
    ]
    assert "zb-h1: step 1, " in picture
    header, line = (tmp_path / "runs.txt").read_text().splitlines()
    assert header.split()[0] == "run" and line.split()[0] == "zb-h1"
    assert not (tmp_path / "cut.svg").exists()


def test_a_picture_numbers_its_step_as_the_summary_does():
    path = PROJECT_ROOT / "resources" / "recordings" / "1f1b-2-cpu-lanes.arrow"
    trace = open_recording(path).trace
    summary = summarise(trace)
    assert summary.median.number != summary.median.step
    assert f"1f1b: step {summary.median.number}, " in step_picture(trace, "1f1b")


def test_a_folder_with_other_files_is_refused_and_left_as_it_is(check, tmp_path):
    for _ in write_recording(made_run(), tmp_path / "mine.arrow"):
        pass
    (tmp_path / "mine.svg").write_text("a picture")
    with pytest.raises(PlanError, match="already exists; name a new or an empty folder"):
        check(GOOD, folder=str(tmp_path))
    assert (tmp_path / "mine.svg").read_text() == "a picture"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.arrow", "mine.svg"]


def test_a_check_that_breaks_off_is_an_error(check):
    with pytest.raises(RunError, match="torch cannot be imported"):
        check([Failed("torch cannot be imported")])


def test_what_was_measured_before_a_check_broke_off_is_kept(check, tmp_path, capsys):
    broken = Failed("the process of the check was ended by SIGSEGV")
    with pytest.raises(RunError, match="SIGSEGV"):
        check([*GOOD, broken], folder=str(tmp_path))
    assert "± 45 ns" in capsys.readouterr().out
    assert "± 45 ns" in (tmp_path / "check.txt").read_text()
