"""Commands, runs, recorded jobs and the window with unusual and hostile environment variables.

Every command works as without them, or reports the reason in one line. There is no traceback, and
only requested files are written. The suite tries only the environments of CORE, `make stress` tries
all of them with all commands.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("PySide6")

from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from tests.make_believe import record, specification
from tests.processes import having, wait_gone

Variables = dict[str, str | None]
"""Variables by name; None removes a variable."""
MARK = "BUBBLESCOPE_STRESS"
XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
       "XDG_CONFIG_DIRS", "XDG_DATA_DIRS")  # fmt: skip
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS",
           "OMP_THREAD_LIMIT", "OMP_STACKSIZE", "OMP_PROC_BIND", "KMP_AFFINITY")  # fmt: skip
ODD = {"none": None, "empty": "", "no-folder": "{work}/no/folder", "file": "{work}/text.txt",
       "readonly": "{work}/readonly", "relative": "relative/folder", "no-text": "\udcff",
       "newline": "/no\nwhere", "loop": "{work}/loop", "long": "/" + "x" * 4000,
       "garbage": "garbage %s {0}", "negative": "-1", "huge": "9" * 30, "zero": "0"}  # fmt: skip
PATHS = ("none", "empty", "no-folder", "file", "readonly", "relative", "no-text", "loop", "long")
NUMBERS = ("empty", "garbage", "negative", "huge", "zero")


def surroundings() -> dict[str, Variables]:
    """Return every environment by its name."""
    cases: dict[str, Variables] = {}
    for odd in PATHS:
        cases[f"home-{odd}"] = {"HOME": ODD[odd]}
        cases[f"tmpdir-{odd}"] = {name: ODD[odd] for name in ("TMPDIR", "TEMP", "TMP")}
        cases[f"xdg-{odd}"] = dict.fromkeys(XDG, ODD[odd])
        cases[f"path-{odd}"] = {"PATH": ODD[odd]}
        cases[f"pythonpath-{odd}"] = {"PYTHONPATH": ODD[odd]}
        cases[f"qt-folders-{odd}"] = {"QT_QPA_FONTDIR": ODD[odd], "QT_PLUGIN_PATH": ODD[odd]}
    for odd in NUMBERS:
        cases[f"threads-{odd}"] = dict.fromkeys(THREADS, ODD[odd])
        cases[f"terminal-{odd}"] = dict.fromkeys(("TERM", "COLUMNS", "LINES"), ODD[odd])
        cases[f"scale-{odd}"] = dict.fromkeys(("QT_SCALE_FACTOR", "QT_FONT_DPI"), ODD[odd])
        cases[f"ranks-{odd}"] = dict.fromkeys(("RANK", "LOCAL_RANK", "WORLD_SIZE"), ODD[odd])
        cases[f"recording-{odd}"] = {"BUBBLESCOPE_RECORD": ODD[odd], "BUBBLESCOPE_X": ODD[odd]}
        cases[f"cuda-{odd}"] = {"CUDA_VISIBLE_DEVICES": ODD[odd], "CUDA_LAUNCH_BLOCKING": ODD[odd]}
    cases["master-garbage"] = {"MASTER_ADDR": "garbage", "MASTER_PORT": "garbage"}
    cases["nothing"] = dict.fromkeys((*os.environ, "HOME"), None)
    cases |= {f"locale-{n}": {"LC_ALL": n, "LANG": n} for n in ("C", "POSIX", "xx_YY.zz", "\udcff")}
    cases["locale-ascii"] = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for name, text in (
        ("WARNINGS", "error"), ("DEVMODE", "1"), ("OPTIMIZE", "2"), ("IOENCODING", "ascii"),
        ("IOENCODING", "utf-16"), ("UTF8", "0"), ("UNBUFFERED", "1"), ("MALLOC", "debug"),
        ("TRACEMALLOC", "5"), ("SAFEPATH", "1"), ("INTMAXSTRDIGITS", "640"),
        ("HASHSEED", "0"), ("FAULTHANDLER", "1"), ("STARTUP", "/nowhere"), ("BREAKPOINT", "a.b"),
        ("DONTWRITEBYTECODE", "1"), ("PYCACHEPREFIX", "/nowhere"), ("NODEBUGRANGES", "1"),
        ("NOUSERSITE", "1"), ("USERBASE", "/nowhere"), ("PLATLIBDIR", "lib"), ("ASYNCIODEBUG", "1"),
    ):  # fmt: skip
        cases[f"python-{name.lower()}-{text}"] = {f"PYTHON{name}": text}
    for name, text in (
        ("QPA_PLATFORM", "nothing"), ("QPA_PLATFORM", ""), ("QPA_PLATFORM", "xcb"),
        ("QPA_PLATFORM", "minimal"), ("STYLE_OVERRIDE", "nothing"),
        ("QPA_PLATFORMTHEME", "nothing"), ("SCALE_FACTOR", "0.01"), ("SCALE_FACTOR", "30"),
        ("ENABLE_HIGHDPI_SCALING", "x"), ("XKB_CONFIG_ROOT", "/nowhere"), ("IM_MODULE", "nothing"),
        ("LOGGING_RULES", "*=garbage"), ("LOGGING_CONF", "/nowhere"), ("OPENGL", "garbage"),
        ("FATAL_WARNINGS", "0"), ("ACCESSIBILITY", "1"), ("QUICK_BACKEND", "x"),
    ):  # fmt: skip
        cases[f"qt-{name.lower()}-{text}"] = {f"QT_{name}": text}
    return cases


CASES = surroundings()
CORE = ("nothing", "python-safepath-1")
"""Environments in which the suite tries the quick commands."""
TINY = ["--devices", "2xvirtual", "--width", "8", "--depth", "2", "--batch", "8", "--steps", "1",
        "--warmup", "0"]  # fmt: skip
JOB = """
import torch
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    model(torch.ones(4, 8)).sum().backward()
    optimizer.step()
print("trained")
"""
QUICK = {
    "summary": ["summary", "own.arrow"],
    "export": ["export", "own.arrow", "--image", "made.png", "--report", "made.html"],
}
SLOW = {
    "sql": ["sql", "own.arrow", "FROM steps"],
    "trace": ["export", "ranks", "--table", "made.csv", "--image", "made.svg"],
    "run": ["run", *TINY, "--record", "made.arrow"],
    "ranks": ["run", *TINY, "--strategy", "ddp", "--devices", "2xcpu", "--record", "made.arrow"],
    "record": ["record", "--out", "runs", "--", sys.executable, "job.py"],
    "open": ["open", "own.arrow"],
}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    """A folder with the files that commands read and the places that unusual variables name."""
    made = tmp_path / "work"
    made.mkdir()
    record(specification(steps=2), made / "own.arrow")
    (made / "ranks").symlink_to(PROJECT_ROOT / "tests" / "data" / "two-ranks")
    (made / "job.py").write_text(JOB)
    (made / "text.txt").write_text("text\n")
    (made / "loop").symlink_to("loop")
    (made / "readonly").mkdir()
    (made / "readonly").chmod(0o555)
    yield made
    (made / "readonly").chmod(0o755)


def run(work: Path, name: str, words: list[str]) -> tuple[int, str, str]:
    """Run a command in an environment, and return status, output and errors; no process is left."""
    mark = f"{MARK}={os.getpid()}-{time.monotonic_ns()}"
    given = {**os.environ, "TMPDIR": str(work.parent), "HOME": str(work.parent)}
    if words[0] == "open":
        given["QT_QPA_PLATFORM"] = "offscreen"
    else:
        given.pop("QT_QPA_PLATFORM", None)
    for variable, text in CASES[name].items():
        given.pop(variable, None)
        if text is not None:
            given[variable] = text.replace("{work}", str(work))
    key, _, value = mark.partition("=")
    command = [sys.executable, str(PROJECT_ROOT / "main.py"), *words]
    # Root may write anywhere; without this, no folder would be read-only.
    free = ["/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if os.geteuid() == 0 and os.path.exists(free[0]):
        command = [*free, *command]
    process = subprocess.Popen(
        command, cwd=work, env={**given, key: value}, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    # Python takes several times as long if it traces the memory of every import.
    is_traced = "PYTHONTRACEMALLOC" in CASES[name]
    try:
        if words[0] == "open":
            time.sleep(20.0 if is_traced else 4.0)
            process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=240 if is_traced else 60)
        wait_gone(having(mark), 20)
    finally:
        for pid in having(mark):
            os.kill(pid, signal.SIGKILL)
    return process.returncode, out.decode(errors="replace"), errors.decode(errors="replace")


def problems(work: Path, name: str, command: str, words: list[str]) -> list[str]:
    """Return everything that is wrong with a command in an environment."""
    before = set(work.rglob("*"))
    status, out, errors = run(work, name, words)
    made = {str(path.relative_to(work)) for path in set(work.rglob("*")) - before}
    lines = [line for line in errors.splitlines() if line and not is_of_others(line)]
    found = []
    if "Traceback" in errors or "Fatal Python" in errors:
        found.append(f"a traceback: {errors[-1500:]}")
    elif status == 2 and (len(lines) != 1 or not lines[0].startswith("bubblescope")):
        found.append(f"not one line: {errors[-1500:]}")
    elif status == 2:
        print(f"{name}, {command}: {lines[0]}")
    elif status != 0:
        found.append(f"status {status}: {errors[-1500:]}")
    elif lines and not all(line.startswith(("warning:", "note:", "torch:")) for line in lines):
        found.append(f"words on standard error: {errors[-1500:]}")
    elif not lines or command != "open":
        found += missing(work, command, out)
    wanted = {word for word in words if word.startswith("made.")} | {"runs"}
    extra = {path for path in made if path.partition("/")[0] not in wanted}
    if command == "open":
        # The window keeps its settings in the user's folder, which it makes if it does not exist.
        for settings in [Path(path) for path in extra if Path(path).name == "bubblescope.conf"]:
            extra -= {str(settings), *map(str, settings.parents)}
    found += [f"left behind: {path}" for path in extra if "__pycache__" not in path]
    return [f"{name}, {command}: {text}" for text in found]


def is_of_others(line: str) -> bool:
    """Return True for lines of Python, Qt and OpenMP about the variables that they read."""
    return line.startswith((
        "This plugin does not support", "OMP: ", "libgomp: ", "QStandardPaths: ", "qt.", "Qt",
        "QFont", "Could not find the Qt", "QtWarning", "Warning: Ignoring XDG_SESSION",
        "Detected locale", "If this causes problems, reconfigure", "for more information.",
        "Fontconfig warning",
    )) or "setlocale" in line or "OMP_" in line  # fmt: skip


def missing(work: Path, command: str, out: str) -> list[str]:
    """Return what a command did not do although it reported success."""
    found = []
    if command == "record":
        # The job writes in the encoding of the environment; in UTF-16, every other byte is 0.
        found += [] if "trained" in out.replace("\0", "") else ["the job did not train"]
        told = len(open_recording(work / "runs").trace.steps) if (work / "runs").is_dir() else 0
        found += [] if told == 5 else [f"{told} of 5 steps were recorded"]
    elif command in ("run", "ranks"):
        spans = open_recording(work / "made.arrow").trace.span_count
        found += [] if spans else ["nothing was recorded"]
    elif command != "open" and not out and not list(work.glob("made.*")):
        found.append("it printed nothing")
    return found


@pytest.mark.parametrize("name", CASES)
def test_unusual_variables_change_nothing_or_are_refused_in_one_line(
    name: str, work: Path, stress_runs: int
) -> None:
    if stress_runs == 1 and name not in CORE:
        pytest.skip("`make stress` tries all surroundings")
    commands = QUICK if stress_runs == 1 else {**QUICK, **SLOW}
    found = []
    for command, words in commands.items():
        found += problems(work, name, command, words)
    assert found == []
