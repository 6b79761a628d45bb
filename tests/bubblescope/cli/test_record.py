"""The command that records a job: what it says where nothing was recorded, and its status."""

import argparse
import os
import pty
import shlex
import signal
import subprocess
import sys

import pytest

from bubblescope.cli import job
from core.paths import PROJECT_ROOT
from core.process.program import start_program
from core.recording.recording import open_recording

MAIN = [sys.executable, str(PROJECT_ROOT / "main.py")]
PYTHON = shlex.quote(sys.executable)


@pytest.fixture
def record(commands, tmp_path):
    """Runs `record` for a command in the test's folder."""

    def run(words):
        return commands.run(tmp_path, ["record", "--out", "rr", "--", *shlex.split(words)])

    return run


@pytest.mark.parametrize(
    ("words", "status"),
    [("true", 2), (f"{PYTHON} -c pass", 2), ("sh -c 'exit 3'", 3), ("sh -c 'kill -9 $$'", 137)],
)
def test_a_command_that_trains_nothing_is_reported_with_a_failure_status(
    record, tmp_path, words, status
):
    (tmp_path / "rr").mkdir()
    (tmp_path / "rr" / "rank-0.arrow").write_text("of an earlier job")
    done = record(words)
    command = shlex.split(words)[0]
    assert done.returncode == status and done.stdout == ""
    assert done.stderr == (
        f"bubblescope: nothing was recorded in rr: no Python process of {command} began a "
        "training step with torch\n"
    )


def test_a_command_whose_ranks_record_succeeds(record):
    assert record("sh -c 'mkdir rr && echo x > rr/rank-0.arrow'").returncode == 0


def test_a_command_is_asked_to_end_as_it_would_be_by_itself(tmp_path):
    words = ["sh", "-c", "trap 'echo asked; exit 7' TERM; echo on; while :; do sleep 0.05; done"]
    with subprocess.Popen(
        [*MAIN, "record", "--", *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "on\n"
        os.kill(process.pid, signal.SIGTERM)
        assert process.stdout.readline() == "asked\n"
    assert process.returncode == 7


COUNTS = """
import signal, sys, time
counts = {}

def take(number, frame):
    counts[number] = counts.get(number, 0) + 1

for name in sys.argv[1:]:
    signal.signal(getattr(signal, name), take)
print("on", flush=True)
end = time.monotonic() + 10
while not counts and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.5)  # another one would arrive now
print({signal.Signals(number).name: count for number, count in counts.items()}, flush=True)
sys.exit(7)
"""
PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT")


@pytest.mark.parametrize("name", PASSED_ON)
def test_a_signal_to_the_command_reaches_the_job_once(tmp_path, name):
    words = [*MAIN, "record", "--", sys.executable, "-c", COUNTS, name]
    # A session without a terminal, as under a batch system.
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "on\n"
        os.kill(process.pid, getattr(signal, name))
        assert process.stdout.readline() == f"{{'{name}': 1}}\n"
    assert process.returncode == 7


@pytest.mark.parametrize(("key", "name"), [(b"\x03", "SIGINT"), (b"\x1c", "SIGQUIT")])
def test_a_key_of_the_terminal_reaches_the_job_once(tmp_path, key, name):
    words = [*MAIN, "record", "--", sys.executable, "-c", COUNTS, name]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(words[0], words)
    with open(terminal, "rb", buffering=0) as lines:
        printed = lines.read(100)
        while b"on" not in printed:
            printed += lines.read(100)
        os.write(terminal, key)
        while b"}" not in printed:
            printed += lines.read(100)
        _, status = os.waitpid(pid, 0)
    assert f"{{'{name}': 1}}" in printed.decode()
    assert os.waitstatus_to_exitcode(status) == 7


def test_a_job_that_a_signal_ends_gives_its_status_to_the_command(tmp_path):
    words = [*MAIN, "record", "--", "sh", "-c", "echo on; exec sleep 10"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "on\n"
        os.kill(process.pid, signal.SIGUSR1)
    assert process.returncode == 128 + signal.SIGUSR1


def test_a_search_path_that_links_to_itself_harms_no_job(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    done = subprocess.run(
        [*MAIN, "record", "--", sys.executable, "-c", "print('trained')"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "loop")},
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.stdout == "trained\n" and done.stderr.count("\n") == 1, done.stderr


def test_a_request_to_end_while_the_command_starts_reaches_it(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)

    def slowly(words, variables):
        process = start_program(words, variables)
        signal.raise_signal(signal.SIGTERM)
        return process

    monkeypatch.setattr(job, "start_program", slowly)
    given = argparse.Namespace(words=["--", "sh", "-c", "sleep 20; exit 5"], out="rr")
    assert job.record_job(given) == 128 + signal.SIGTERM
    assert capsys.readouterr().err.count("\n") == 1


EVALUATION = """
import json
import torch

model = torch.nn.Linear(4, 4)
model(torch.ones(2, 4)).sum().backward()
print(json.dumps({"loss": 0.5}))
"""


def test_messages_of_the_recorder_are_not_in_the_output_of_the_job(record, tmp_path):
    (tmp_path / "evaluate.py").write_text(EVALUATION)
    done = record(f"{PYTHON} evaluate.py")
    assert (done.returncode, done.stdout) == (0, '{"loss": 0.5}\n')
    [line] = done.stderr.splitlines()
    assert line.startswith("bubblescope: no optimizer of torch.optim has updated the model")


TRAINING = """
import torch

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
"""


def test_a_job_whose_outputs_are_full_succeeds(record, tmp_path):
    (tmp_path / "train.py").write_text(TRAINING)
    done = record(f"sh -c 'RANK=none {PYTHON} train.py >/dev/full 2>&1 && echo trained'")
    assert (done.returncode, done.stdout) == (0, "trained\n"), done.stderr


def test_a_job_whose_python_lacks_a_package_of_the_recorder_trains_without_a_recording(
    record, tmp_path
):
    missing = "No module named 'pyarrow'"
    (tmp_path / "pyarrow.py").write_text(f"raise ModuleNotFoundError({missing!r})")
    (tmp_path / "train.py").write_text(TRAINING + "print('trained')")
    done = record(f"{PYTHON} train.py")
    assert (done.returncode, done.stdout) == (2, "trained\n"), done.stderr
    first, second = done.stderr.splitlines()
    assert first == f"bubblescope: this process is not recorded: ModuleNotFoundError: {missing}"
    assert second.startswith("bubblescope: nothing was recorded in rr: ")


def test_a_job_that_looks_for_torch_before_it_imports_it_is_recorded(record, tmp_path):
    looks = "import importlib.util\nassert importlib.util.find_spec('torch')\n" * 2
    (tmp_path / "train.py").write_text(looks + TRAINING)
    done = record(f"{PYTHON} train.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert open_recording(tmp_path / "rr").trace.steps == [0, 1, 2]


FINDER = """
import importlib.util, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        found = [one.find_spec(name, path, target) for one in sys.meta_path if one is not self]
        return next(filter(None, found), None)

sys.meta_path.insert(0, Finder())
"""


def test_a_job_whose_own_import_hook_asks_the_others_is_recorded(record, tmp_path):
    (tmp_path / "train.py").write_text(FINDER + TRAINING)
    done = record(f"{PYTHON} train.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert open_recording(tmp_path / "rr").trace.steps == [0, 1, 2]


SEVERAL = """
import multiprocessing, os, sys, time
import torch

def train(started, ended):
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(6):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        if step == 2:
            started.wait()
            time.sleep(1.0)  # steps are written every half second
    ended.wait()
    time.sleep(2.0)

if __name__ == "__main__":
    torch.set_num_threads(1)
    made = multiprocessing.get_context(sys.argv[1])
    both = [made.Barrier(2), made.Barrier(2)]
    processes = [made.Process(target=train, args=both) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_of_processes_that_train_at_once_without_ranks_one_is_recorded(record, tmp_path, method):
    (tmp_path / "train.py").write_text(SEVERAL)
    done = record(f"{PYTHON} train.py {method}")
    assert done.returncode == 0, done.stderr
    assert open_recording(tmp_path / "rr").trace.steps == list(range(6))
    path = tmp_path / "rr" / "rank-0.arrow"
    assert done.stderr.splitlines() == [
        f"bubblescope: this process is not recorded: another recording is written to {path}"
    ]


RANK = """
import subprocess, sys, time
import torch

class Main(torch.nn.Linear):
    pass

model = Main(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    if step == 2:
        time.sleep(1.0)
        subprocess.run([sys.executable, "probe.py"], check=True)
"""


def test_a_process_that_a_rank_starts_leaves_the_ranks_recording_alone(record, tmp_path):
    (tmp_path / "train.py").write_text(RANK)
    (tmp_path / "probe.py").write_text(TRAINING + "import time\ntime.sleep(1.0)")
    done = record(f"env RANK=1 WORLD_SIZE=2 {PYTHON} train.py")
    assert done.returncode == 0, done.stderr
    opened = open_recording(tmp_path / "rr" / "rank-1.arrow")
    assert opened.warning == "" and opened.trace.outcome == "finished"
    assert opened.trace.steps == list(range(6)) and opened.trace.header.model.name == "Main"
    assert done.stderr.count("this process is not recorded: another recording") == 1
