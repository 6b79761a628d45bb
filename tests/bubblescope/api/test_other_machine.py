"""Python on another machine: `on="user@host"` is the command line's `--on`."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import pytest

import bubblescope as bs
from core.paths import PROJECT_ROOT
from tests.processes import having, wait_gone
from tests.sshd import HAS_SSHD, HOST, MISSING, serving, write_script

SECONDS = 60
SMALL = {"devices": "1xcpu", "steps": 1, "width": 8, "depth": 2, "batch": 4, "progress": False}
INTERRUPTED = """
import bubblescope as bs
try:
    bs.run("single", on="gpu", progress=False)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Puts a line in the place of `ssh`."""

    def put(line: str) -> None:
        write_script(tmp_path / "bin" / "ssh", line)
        monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")

    return put


@pytest.mark.skipif(not HAS_SSHD, reason=MISSING)
def test_runs_and_sweeps_are_made_there_and_kept_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    with serving(tmp_path, dict([mark.split("=")])) as sshd:
        sshd.install()
        monkeypatch.setenv("PATH", sshd.path)
        file = tmp_path / "run.arrow"
        run = bs.run("single", on=HOST, record=file, **SMALL)
        assert run.trace.header.hardware["host"] == HOST and len(run.steps) == 1
        assert bs.open(file).summary == run.summary
        swept = bs.sweep("single", on=HOST, batch=[2, 4], beside=(), repeat=1, **_without("batch"))
        assert [row["batch"] for row in swept.table().to_pylist()] == [2, 4]
        wait_gone(having(mark))


@pytest.mark.skipif(not HAS_SSHD, reason=MISSING)
def test_a_model_in_memory_is_sent_there_and_nothing_of_it_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    here, there = tmp_path / "tmp_here", tmp_path / "tmp_there"
    here.mkdir()
    there.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    blocks = [torch.nn.Linear(6, 200), torch.nn.ReLU(), torch.nn.Linear(200, 3)]
    weight = blocks[0].weight.detach().clone()
    with serving(tmp_path, {"TMPDIR": str(there)}) as sshd:
        sshd.install()
        monkeypatch.setenv("PATH", sshd.path)
        run = bs.run(
            "mp",
            on=HOST,
            model=blocks,
            sample=(torch.ones(12, 6), torch.zeros(12, 3)),
            devices="2xcpu",
            steps=1,
            warmup=0,
            gradients=str(tmp_path / "g.npz"),
            verify=True,
            calibrate=False,
            progress=False,
        )
        deadline = time.monotonic() + SECONDS
        while left := list(there.glob(".bubblescope-*")):  # the relay removes it
            assert time.monotonic() < deadline, left
            time.sleep(0.02)
    name = run.trace.header.specification.model.name
    assert name.startswith(f"{there}{os.sep}") and name.endswith("blocks.py")
    assert os.listdir(here) == []
    with numpy.load(tmp_path / "g.npz") as step:
        assert (step["before/0.weight"] == weight.numpy()).all()


def _without(*names: str) -> dict[str, object]:
    return {name: value for name, value in SMALL.items() if name not in names}


@pytest.mark.parametrize("function", [bs.run, bs.sweep])
def test_a_host_that_cannot_be_reached_is_one_line(ssh, function) -> None:  # type: ignore[no-untyped-def]
    ssh("echo banner >&2; echo 'No route to host' >&2; exit 255")
    with pytest.raises(bs.BubblescopeError) as raised:
        function("single", on="gpu", **SMALL)
    assert str(raised.value) == "the machine gpu cannot be reached: No route to host"


@pytest.mark.parametrize("function", [bs.run, bs.sweep])
@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("-oProxyCommand=id", "--on '-oProxyCommand=id': use USER@HOST"),
        ("a b", "--on 'a b': use USER@HOST"),
        (3, "on=3: use a text"),
    ],
)
def test_what_is_no_host_is_one_line(function, on: str, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(bs.BubblescopeError) as raised:
        function("single", on=on)
    assert str(raised.value).startswith(words) and "\n" not in str(raised.value)


def test_an_interrupt_while_ssh_connects_ends_ssh(tmp_path: Path) -> None:
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    begun = tmp_path / "begun"
    write_script(tmp_path / "ssh", f'echo > "{begun}"; exec sleep 60')
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        cwd=PROJECT_ROOT,
        env={
            **os.environ,
            **dict([mark.split("=")]),
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + SECONDS
    while not begun.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10) == ("interrupted\n", "")
    wait_gone(having(mark))
