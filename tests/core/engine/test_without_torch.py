"""If torch is installed but cannot be imported, one line gives the reason and a remedy."""

import subprocess
import sys

import pytest

from core.engine.client import EngineClient
from core.engine.messages import Outcome
from core.paths import PROJECT_ROOT

pytestmark = pytest.mark.starts_processes

MAIN = [sys.executable, str(PROJECT_ROOT / "main.py")]
WHY = "libtorch_cpu.so: cannot open shared object file"
REMEDY = "install it again: pip install --force-reinstall torch"
SMALL = "--width 8 --depth 2 --batch 2 --steps 1 --warmup 0 --devices 1xcpu --strategy single"


@pytest.fixture(params=["ImportError", "OSError", "ZeroDivisionError"])
def broken_torch(request, tmp_path, monkeypatch):
    """A torch that raises an error when it is imported, in front of the real one."""
    (tmp_path / "torch").mkdir()
    text = f"raise {request.param}('{WHY}\\n\\nand more')"
    (tmp_path / "torch" / "__init__.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return f"torch cannot be imported ({request.param}: {WHY}); {REMEDY}"


@pytest.mark.parametrize("broken_torch", ["ImportError"], indirect=True)
@pytest.mark.parametrize(
    "command",
    [
        "devices",
        f"run {SMALL}",
        "lesson 1",
        f"sweep {SMALL}",
        f"calibrate {SMALL}",
        f"run --launcher torchrun {SMALL} --strategy ddp --devices 2xcpu --warmup 1",
    ],
)
def test_a_command_prints_the_reason_in_one_line(tmp_path, broken_torch, command):
    words = command.split()
    if words[0] == "calibrate":
        words += ["--costs", str(tmp_path / "costs.json")]
    done = subprocess.run(
        [*MAIN, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode not in (0, -1) and done.stdout.count("Traceback") == 0
    assert done.stderr.splitlines()[-1] == f"bubblescope: {broken_torch}"
    assert "Traceback" not in done.stderr


def test_the_client_ends_a_run_with_the_reason_and_tries_again(broken_torch):
    client = EngineClient()
    try:
        for _ in range(2):
            client.start()
            messages = []
            while not messages:
                messages += client.poll()
            [ended] = messages
            assert ended.outcome is Outcome.FAILED and str(ended.text) == broken_torch
            assert client.pid is None
    finally:
        client.close()
