"""Opening any file runs no code, unpickles nothing and starts nothing: heard from Python itself."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from core.errors import RecordingError
from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from tests.core.recorder.made import two_ranks
from tests.core.recording.importers import foreign_files as made
from tests.make_believe import record, specification

TWO_RANKS = PROJECT_ROOT / "tests" / "data" / "two-ranks"
LISTENING = """
import json, sys
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.report.summary import summarise

def use(path):
    trace = open_recording(path).trace
    summarise(trace)
    if trace.imported is not None and trace.imported.arguments is not None:
        list(trace.imported.arguments.every())
    for _ in write_recording(trace, path + ".saved.arrow"):
        pass

paths, heard, listens = json.loads(sys.argv[1]), [], False
NEVER = ("exec", "compile", "pickle.find_class", "marshal.loads", "import", "os.system",
         "os.exec", "os.posix_spawn", "subprocess.Popen", "ctypes.dlopen", "socket.connect",
         "sqlite3.enable_load_extension", "sqlite3.load_extension", "shutil.unpack_archive")

def hear(event, arguments):
    if listens and event in NEVER:
        heard.append([event, str(arguments)[:200]])

for path in paths:
    use(path)  # what a reader itself needs is imported now
sys.addaudithook(hear)
listens = True
for path in paths:
    use(path)
listens = False
print(json.dumps(heard))
"""


def test_no_reader_runs_code_or_unpickles(tmp_path: Path) -> None:
    files = {
        "scan.json": json.dumps(made.MEGASCAN).encode(),
        "dump_rank_1.json": made.flight_dump(),
        "trace.pftrace": made.perfetto_trace(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    made.nsight_export(tmp_path / "run.sqlite")
    record(specification(), tmp_path / "run.arrow")
    (tmp_path / "ranks").mkdir()
    two_ranks(tmp_path / "ranks")
    for rank in TWO_RANKS.iterdir():  # what is saved lies beside what was opened
        (tmp_path / "two").mkdir(exist_ok=True)
        (tmp_path / "two" / rank.name).write_bytes(rank.read_bytes())
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    done = subprocess.run(
        [sys.executable, "-c", LISTENING, json.dumps(paths)],
        cwd=PROJECT_ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


@pytest.mark.parametrize("name", ["torch.pt", "archive.zip", "dump.pickle"])
def test_pickles_and_archives_are_no_recordings(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "dump.pickle":  # the flight recorder's other form; it would print what it runs
        path.write_bytes(b"cbuiltins\nprint\n(S'unpickled'\ntR.")
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("data.pkl", bytes(1 << 24))
    with pytest.raises(RecordingError, match="is not a recording"):
        open_recording(path)
