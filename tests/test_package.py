"""The wheel, away from the checkout: built, installed into an environment of its own, and run."""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT
from core.version import VERSION
from tests.processes import children
from tests.sshd import write_script

SOURCES = ("bubblescope", "core", "gui", "resources")
FILES = ("main.py", "setup.py", "pyproject.toml", "README.md", "LICENSE")
SMALL = ["--batch", "8", "--devices", "2xcpu", "--steps", "1", "--warmup", "0"]
MLP = ["--model", "mlp", "--width", "16", "--depth", "2"]


@pytest.fixture(scope="module")
def command(tmp_path_factory) -> Path:
    """The command of a fresh environment that has the wheel and sees what it depends on."""
    folder = tmp_path_factory.mktemp("package")
    for name in SOURCES:
        shutil.copytree(
            PROJECT_ROOT / name,
            folder / "source" / name,
            ignore=shutil.ignore_patterns("__pycache__", "screenshots"),
        )
    for name in FILES:
        shutil.copy(PROJECT_ROOT / name, folder / "source")
    left = folder / "source" / "build" / "lib" / "bubblescope" / "left_of_an_earlier_build.py"
    left.parent.mkdir(parents=True)
    left.touch()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, folder / "source"],
        check=True,
    )
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    (wheel,) = folder.glob("bubblescope-*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-deps", wheel], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    shutil.rmtree(folder / "source")  # what is run from now on is the wheel alone
    return environment / "bin" / "bubblescope"


@pytest.fixture
def elsewhere(tmp_path) -> Path:
    """A folder in which somebody has modules of their own, named as ours are."""
    for name in ("core", "gui", "main", "bubblescope"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('somebody else's {name}')")
    return tmp_path


def bubblescope(command: Path, folder: Path, *words: str) -> str:
    """Return the command's output; its standard error is shown if it fails."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [command, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_nothing_of_an_earlier_build(command):
    (packages,) = command.parents[1].glob("lib/python*/site-packages")
    installed = {path.name for path in (packages / "bubblescope").iterdir()}
    assert {"__main__.py", "_app"} <= installed and "left_of_an_earlier_build.py" not in installed


def test_the_command_tells_its_version(command, elsewhere):
    assert bubblescope(command, elsewhere, "--version") == f"bubblescope {VERSION}\n"


@pytest.mark.parametrize("strategy", ["dp", "ddp"])
def test_a_run_beside_modules_named_as_ours_is_drawn_and_recorded(command, elsewhere, strategy):
    outputs = ["--record", "run.arrow", "--image", "run.svg", "--strategy", strategy]
    assert "makespan" in bubblescope(command, elsewhere, "run", *MLP, *SMALL, *outputs)
    assert "<svg" in (elsewhere / "run.svg").read_text()
    bubblescope(command, elsewhere, "export", "run.arrow", "--report", "run.html")
    assert (elsewhere / "run.html").stat().st_size > 10_000


def test_a_model_of_ones_own_may_import_a_core_of_its_own(command, tmp_path):
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").touch()
    (tmp_path / "core" / "sizes.py").write_text("WIDTH = 4\n")
    (tmp_path / "own.py").write_text(
        "import torch\n"
        "from core.sizes import WIDTH\n"
        "def build(): return [torch.nn.Linear(WIDTH, WIDTH) for _ in range(2)]\n"
        "def batch(rows, generator):\n"
        "    return torch.randn(rows, WIDTH, generator=generator), torch.zeros(rows, WIDTH)\n"
    )
    # The engine imports it to describe it, and each rank to run it.
    words = ["run", "--model", "own.py", "--strategy", "ddp", *SMALL]
    assert "makespan" in bubblescope(command, tmp_path, *words)


def test_predictions_need_no_checkout(command, elsewhere):
    costs = {"forward_ms": 2, "backward_input_ms": 2, "backward_weight_ms": 1, "step_ms": 1}
    (elsewhere / "c.json").write_text(json.dumps({**costs, "transfer_ms": 1}))
    words = ["predict", "--strategy", "pipeline", "--costs", "c.json", "--image", "predicted.png"]
    bubblescope(command, elsewhere, *words)
    assert (elsewhere / "predicted.png").read_bytes().startswith(b"\x89PNG")


def test_the_window_starts_its_engine_and_ends_it(command, elsewhere):
    window = subprocess.Popen(
        [command],
        cwd=elsewhere,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(elsewhere)},
        stderr=subprocess.PIPE,
    )
    try:
        deadline = time.monotonic() + 60
        while not (started := children(window.pid)) and time.monotonic() < deadline:
            assert window.poll() is None
            time.sleep(0.05)
        assert started
        window.send_signal(signal.SIGTERM)
        assert window.wait(30) == 0, window.stderr.read()
        assert not any(Path(f"/proc/{child}").exists() for child in started)
    finally:
        window.kill()
        window.communicate()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("ex", "export"),
        ("run --strategy p", "pipeline"),
        ("plan --schedule zb-h", "zb-h1 zb-h2"),
        ("run --model g", "gpt"),
        ("run --rec", "--record"),
        ("export --figure tw", "two-column"),
        ("lesson 2", "2"),
    ],
)
def test_bash_completes_commands_options_and_their_values(command, elsewhere, words, offered):
    script = bubblescope(command, elsewhere, "--print-completion", "bash")
    (elsewhere / "complete.sh").write_text(script)
    ask = (
        f"source complete.sh; COMP_WORDS=(bubblescope {words}); COMP_CWORD={len(words.split())};"
        "_shtab_bubblescope; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", ask], cwd=elsewhere, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == offered.split()


def test_icon_and_menu_entry_start_this_installation(command, elsewhere, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(elsewhere / "data"))
    bubblescope(command, elsewhere, "--install-desktop")
    entry = (elsewhere / "data" / "applications" / "bubblescope.desktop").read_text()
    assert f"Exec={command}" in entry
    icon = elsewhere / "data" / "icons" / "hicolor" / "scalable" / "apps" / "bubblescope.svg"
    assert "<svg" in icon.read_text()


def test_push_sends_the_wheel_that_was_installed(command, elsewhere, tmp_path, monkeypatch):
    sent = tmp_path / "sent.whl"
    size = 'size=$(echo "$*" | sed -n "s/.*head -c \\([0-9]*\\) .*/\\1/p")'
    line = f'{size}; head -c "$size" > "{sent}"; echo bubblescope {VERSION}'
    write_script(tmp_path / "bin" / "ssh", line)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    printed = bubblescope(command, elsewhere, "push", "me@gpu")
    assert printed == f"me@gpu: bubblescope {VERSION}, in ~/.local/share/bubblescope\n"
    (wheel,) = command.parents[2].glob("bubblescope-*.whl")
    assert contents(sent) == contents(wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    """Files of a wheel, without the list of them."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/RECORD")]
        return {name: archive.read(name) for name in names}
