"""The sweep command for real, on a small model."""

import csv
import os
import re
import shlex
import signal
import subprocess
import time

import pytest

from tests.forked import MAIN
from tests.processes import family, wait_gone

pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("forked_engines")

SWEEP = shlex.split(
    "sweep --strategy pipeline --model mlp --width 16 --depth 4 --devices 2xcpu --batch 16 "
    "--split-size 4,8 --steps 2 --warmup 1 --repeat 2 --csv s.csv"
)
INTERRUPTED = 130


def table(folder):
    with (folder / "s.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def started(folder, *more):
    return subprocess.Popen(
        [*MAIN, *SWEEP, *more], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def until_rows(folder, count):
    deadline = time.monotonic() + 60
    path = folder / "s.csv"
    while not (path.exists() and path.read_text().count("\n") > count):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_sweep_writes_a_row_for_each_run_and_a_picture_and_continues_after_a_kill(
    commands, tmp_path
):
    process = started(tmp_path)
    until_rows(tmp_path, 2)
    everyone = family(process.pid)
    process.kill()
    process.communicate()
    wait_gone(everyone)
    kept = (tmp_path / "s.csv").read_text()
    with (tmp_path / "s.csv").open("a") as file:
        file.write("pipeline,mlp,cut")  # as a full disk cuts a line
    done = commands.run(tmp_path, [*SWEEP, "--image", "s.png"])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "s.csv").read_text().startswith(kept)
    rows = table(tmp_path)
    runs = [(row["strategy"], row["split_size"], row["repeat"]) for row in rows]
    places = [("single", ""), ("mp", ""), ("pipeline", "4"), ("pipeline", "8")]
    assert sorted(runs) == sorted((*place, turn) for place in places for turn in "12")
    assert all(float(row["step_ms"]) > 0 and row["batch"] == "16" for row in rows)
    said = done.stderr.splitlines()
    assert len(said) == 8 - (kept.count("\n") - 1)
    assert re.fullmatch(r"run 8 of 8, about \d+ s left: .*: [\d.]+ ms", said[-1])
    assert "pipeline --split-size 4" in done.stdout and "ideal ms" in done.stdout
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
    again = commands.run(tmp_path, [*SWEEP])
    assert (again.returncode, again.stderr, again.stdout) == (0, "", done.stdout)
    other = commands.run(tmp_path, [*SWEEP, "--batch", "32"])
    assert other.returncode == 2 and other.stderr.count("\n") == 1
    assert "s.csv is from another sweep: line 2 has batch 16, not 32" in other.stderr
    assert table(tmp_path) == rows


def test_ctrl_c_ends_a_sweep_with_its_rows_kept_and_one_line(tmp_path):
    process = started(tmp_path, "--steps", "1000000", "--split-size", "4", "--beside", "none")
    deadline = time.monotonic() + 60
    while len(family(process.pid)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    everyone = family(process.pid)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=20)
    assert process.returncode == INTERRUPTED and out == ""
    assert (
        said == "bubblescope: interrupted after 0 of 2 runs in s.csv; the same command continues\n"
    )
    wait_gone(everyone)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--split-size 4,x", "use a whole number"),
        ("--microbatches 2", "exclude each other"),
        ("--devices 2xcpu,4xcpu", "write '2xcpu;4xcpu' for 2 values"),
        ("--beside dq", "--beside 'dq': use "),
        ("--repeat 0", "use 1 or more"),
        ("--image s.bmp", "use a name that ends in"),
        ("--csv nowhere/s.csv", "there is no folder"),
        ("--csv /dev/null", "that is not a regular file"),
    ],
)
def test_bad_input_is_one_line_and_status_2(commands, tmp_path, words, said):
    done = commands.run(tmp_path, [*SWEEP, *words.split()])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and said in done.stderr, done.stderr
    assert os.listdir(tmp_path) == []
