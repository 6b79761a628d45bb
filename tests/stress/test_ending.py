"""TERM, INT and KILL at random moments of every command that runs for long.

No recorded data is lost, each file is the old one or a complete new one, no process is left, and
at most one line is printed. Every moment is drawn from its own seed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch")

from core.files import write_whole
from core.paths import PROJECT_ROOT
from core.process.child import environment
from core.recording.recording import open_recording
from tests.make_believe import record, specification
from tests.processes import having, wait_gone

INTERRUPTED = 130
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
END_S = 20.0
"""Time in s for a command to end on a busy machine; on an idle one it takes 5 s at most."""
LATEST_S = 3.0
WRITTEN_S = 3.0
"""Time in s after which a step of a job is on disk: steps are written every half second."""
MARK = "BUBBLESCOPE_STRESS"
OLD = "an older file\n"
SMALL = ["--devices", "2xvirtual", "--width", "16", "--depth", "2", "--batch", "8"]
TRAIN = """
import os, sys, time, torch
import torch.distributed as dist
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100000):
    optimizer.zero_grad()
    model(torch.ones(4, 8)).sum().backward()
    optimizer.step()
    with open(f"steps-{dist.get_rank()}.txt", "a") as file:
        print(time.time(), file=file)
    time.sleep(0.005)
"""


@dataclass
class Ended:
    """The end of a command: signal number, status, lines of standard error, and output."""

    number: int
    status: int
    lines: list[str]
    output: str = ""


class Command:
    """A command that runs in its own session and folder."""

    def __init__(self, folder: Path, words: list[str], name: str) -> None:
        self.folder, self._mark = folder, f"{MARK}={name}-{os.getpid()}"
        (folder / "temporary").mkdir(exist_ok=True)
        variable, _, value = self._mark.partition("=")
        own = {"TMPDIR": str(folder / "temporary"), "QT_QPA_PLATFORM": "offscreen",
               "XDG_CONFIG_HOME": str(folder), variable: value}  # fmt: skip
        self.process = subprocess.Popen(
            words, cwd=folder, env={**environment(), **own}, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def end(self, number: int) -> Ended:
        """Send a signal as a terminal or a user does, and wait until no process is left."""
        send = os.killpg if number == signal.SIGINT else os.kill
        send(self.process.pid, number)
        output, said = self.process.communicate(timeout=END_S)
        wait_gone(having(self._mark), END_S)
        return Ended(number, self.process.returncode, said.splitlines(), output)

    def close(self) -> None:
        """Kill all processes that are left."""
        for pid in having(self._mark):
            os.kill(pid, signal.SIGKILL)
        self.process.communicate()


@contextmanager
def started(folder: Path, words: list[str], name: str) -> Iterator[Command]:
    """Start a command, and kill its remaining processes afterwards."""
    folder.mkdir(exist_ok=True)
    made = Command(folder, words, name)
    try:
        yield made
    finally:
        made.close()


def ours(*words: str) -> list[str]:
    """Return the command line of a Bubblescope command."""
    return [sys.executable, str(PROJECT_ROOT / "main.py"), *words]


def wait_for(happened: Callable[[], object], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.01)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes, 0 if it does not exist."""
    return path.stat().st_size if path.exists() else 0


def check_said(ended: Ended, allowed: int = 1) -> None:
    """Check that an interrupted Bubblescope command has reported it in at most `allowed` lines."""
    assert not any("Traceback" in line for line in ended.lines), ended
    if ended.number != signal.SIGKILL:
        assert ended.status == INTERRUPTED, ended
        assert len(ended.lines) <= allowed, ended
        assert "interrupted" in ended.lines[-1], ended


def check_folder(folder: Path, *known: str, killed: bool = False) -> None:
    """Check that only known files are left; the next write removes what a killed command left."""
    if killed:
        write_whole(folder / "next.txt", "the next file")
        (folder / "next.txt").unlink()
    left = {path.name for path in folder.iterdir()} - {"temporary", *known}
    assert left == set()
    # torch makes an empty folder for its compiler's cache and does not remove it.
    temporary = {path.name.partition("_")[0] for path in (folder / "temporary").iterdir()}
    assert killed or temporary <= {"torchinductor"}, temporary


def test_an_interrupted_sweep_keeps_its_rows_and_resumes(tmp_path: Path, stress_runs: int) -> None:
    for number in range(stress_runs):
        drawn, folder = random.Random(f"sweep {number}"), tmp_path / str(number)
        words = ours("sweep", *SMALL, "--steps", "2", "--split-size", "1,2,4,8", "--beside", "none",
                     "--repeat", "8", "--csv", "sweep.csv")  # fmt: skip
        table = folder / "sweep.csv"
        with started(folder, words, f"sweep-{number}") as command:
            wait_for(lambda table=table: size_of(table))
            time.sleep(drawn.uniform(0, LATEST_S / 2))
            ended = command.end(drawn.choice(SIGNALS) if stress_runs > 1 else signal.SIGTERM)
        rows = [line for line in ended.lines if not line.startswith("run ")]
        check_said(Ended(ended.number, ended.status, rows))
        told = sum(line.startswith("run ") for line in ended.lines)
        kept = table.read_text()
        assert kept.count("\n") - 1 >= told  # a row is written before its line is printed
        check_folder(folder, "sweep.csv")
        # In the suite, tests/bubblescope/cli/test_sweeping.py resumes a sweep.
        if number == 0 and stress_runs > 1:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            assert table.read_text().startswith(kept) and table.read_text().count("\n") == 33


def test_an_interrupted_lesson_or_calibration_leaves_nothing(
    tmp_path: Path, stress_runs: int
) -> None:
    large = ["--devices", "2xcpu", "--width", "256", "--batch", "64", "--microbatches", "16"]
    # The arguments of each command, and a part of the last text that it prints.
    choices = [
        (["lesson", "2"], "work does not shrink."),
        (["calibrate", *large, "--costs", "costs.json"], "\ncopy "),
        (["devices"], "\ncpu "),
    ]
    for number in range(stress_runs):
        drawn, folder = random.Random(f"lesson {number}"), tmp_path / str(number)
        folder.mkdir()
        (folder / "costs.json").write_text(OLD)
        words, last = choices[number % len(choices)]
        with started(folder, ours(*words), f"lesson-{number}") as command:
            # Before that, Python itself is starting, and a signal ends it without a message.
            wait_for(lambda: len(having(command._mark)) > 1)
            time.sleep(drawn.uniform(0, LATEST_S))
            if command.process.poll() is not None:
                continue  # it had already finished
            ended = command.end(drawn.choice(SIGNALS) if stress_runs > 1 else signal.SIGINT)
        # After the last text, Python itself is ending, and a signal ends it without a message.
        was_done = last in ended.output and ended.status == -ended.number
        if ended.status != 0 and not was_done:
            check_said(ended)
        text = (folder / "costs.json").read_text()
        assert text == OLD or json.loads(text)
        check_folder(folder, "costs.json", killed=ended.number == signal.SIGKILL)


def test_interrupted_listening_keeps_the_received_records(tmp_path: Path, stress_runs: int) -> None:
    from core.recorder.wire import connect
    from tests.core.recorder.made import two_ranks

    made = tmp_path / "made"
    made.mkdir()
    two_ranks(made)
    whole = {rank: (made / f"rank-{rank}.arrow").read_bytes() for rank in range(2)}
    for number in range(stress_runs):
        drawn, folder = random.Random(f"listen {number}"), tmp_path / str(number)
        with started(folder, ours("listen", "--out", "runs"), f"listen-{number}") as command:
            variable, *_, listener, _, _ = command.process.stdout.readline().split()
            address = listener.replace("//", f"//{variable.partition('=')[2]}@")
            peers = [connect(address, rank) for rank in range(2)]
            for rank, peer in enumerate(peers):
                peer.write(whole[rank][: drawn.randrange(2000, len(whole[rank]))])
            places = [folder / "runs" / f"rank-{rank}.arrow" for rank in range(2)]
            wait_for(lambda places=places: all(map(size_of, places)))
            time.sleep(drawn.uniform(0, 0.3))
            ended = command.end(drawn.choice(SIGNALS) if stress_runs > 1 else signal.SIGTERM)
        for peer in peers:
            with pytest.raises(OSError):
                peer.close()
        check_said(ended, allowed=5)  # lines for each rank that connected and disconnected
        for rank, place in enumerate(places):
            assert whole[rank].startswith(place.read_bytes())
        check_folder(folder, "runs")


@pytest.mark.parametrize("victim", ["record", "torchrun"])
def test_an_interrupted_recorded_job_keeps_its_steps(
    tmp_path: Path, stress_runs: int, victim: str
) -> None:
    if stress_runs == 1:
        pytest.skip("each starts torch three times; `make stress` does")
    for number in range(stress_runs):
        drawn, folder = random.Random(f"job {victim} {number}"), tmp_path / str(number)
        folder.mkdir()
        (folder / "train.py").write_text(TRAIN)
        job = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"]
        words = ours("record", "--out", "runs", "--", *job)
        with started(folder, words, f"job-{victim}-{number}") as command:
            counts = [folder / f"steps-{rank}.txt" for rank in range(2)]
            wait_for(
                lambda counts=counts: all(p.exists() and p.stat().st_size > 20 for p in counts)
            )
            time.sleep(drawn.uniform(WRITTEN_S, WRITTEN_S + 2))
            chosen = drawn.choice(SIGNALS[:2]) if stress_runs > 1 else signal.SIGTERM
            if victim == "torchrun":
                # The command line of `record` contains the job's, so torchrun is found as a child.
                (pid,) = children_of(command.process.pid)
                os.kill(pid, chosen)
                command.process.wait(4 * END_S)
                ended = Ended(chosen, command.process.returncode, [])
                wait_gone(having(command._mark), END_S)
            else:
                ended = command.end(chosen)
        assert ended.status != 0, ended
        stamps = [[float(line) for line in path.read_text().splitlines()] for path in counts]
        last = min(times[-1] for times in stamps)
        settled = min(sum(time < last - WRITTEN_S for time in times) for times in stamps)
        told = len(open_recording(folder / "runs").trace.steps)
        print(f"{victim} {chosen.name}: {[*map(len, stamps)]} steps, {told} recorded")
        assert told >= settled > 0, (settled, told)


def children_of(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


SAVE = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from gui.features.recordings.feature import RecordingsFeature
from gui.window import start as app
from gui.window import window
class Saving(window.MainWindow):
    def __init__(self, *given):
        super().__init__(*given)
        QTimer.singleShot(0, self.begin)
    def begin(self):
        self.files = self.feature(RecordingsFeature).files
        self.files.open_from(Path("made.arrow"))
        self.files.saving.done.connect(lambda _: QTimer.singleShot(0, self.save))
        self.save()
        Path("begun").touch()
    def save(self):
        self.files.save_to(Path("saved.arrow"))
app.MainWindow = Saving
sys.exit(app.start([]))
"""


def test_a_window_that_is_ended_while_saving_leaves_the_old_or_a_complete_new_file(
    tmp_path: Path, stress_runs: int
) -> None:
    pytest.importorskip("PySide6")
    for number in range(stress_runs):
        drawn, folder = random.Random(f"save {number}"), tmp_path / str(number)
        folder.mkdir()
        record(specification(steps=300), folder / "made.arrow")
        (folder / "saved.arrow").write_text(OLD)
        words = [sys.executable, "-c", SAVE]
        with started(folder, words, f"save-{number}") as command:
            wait_for((folder / "begun").exists)
            time.sleep(drawn.uniform(0, 1))
            ended = command.end(drawn.choice(SIGNALS) if stress_runs > 1 else signal.SIGTERM)
        assert not any("Traceback" in line for line in ended.lines), ended
        if (folder / "saved.arrow").read_bytes() != OLD.encode():
            assert open_recording(folder / "saved.arrow").warning == ""
            assert (folder / "saved.arrow").read_bytes() == (folder / "made.arrow").read_bytes()
        for path in folder.glob("saved.arrow.*"):
            path.unlink()  # its bookmarks
        known = ("made.arrow", "saved.arrow", "begun", "bubblescope", "bubblescope.conf")
        check_folder(folder, *known, killed=ended.number == signal.SIGKILL)
