"""The folder that each command line finds: files of every kind that commands read, and worse."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import stat
from pathlib import Path

from core.paths import PROJECT_ROOT, RESOURCES
from core.sweep.table import header_text
from tests.make_believe import record, specification

TRACE = [
    {"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 8, "name": f"op {i % 3}"}
    for i in range(60)
]
COSTS = {"forward_ms": 1, "backward_ms": 2, "step_ms": 1, "transfer_ms": 1, "rows": 8}
MODEL = """\
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
def build():
    return model
def batch(rows, generator):
    return torch.rand(rows, 4, generator=generator), torch.rand(rows, 4, generator=generator)
"""
SCHEDULE = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"
RECORDINGS = (
    "own.arrow", "dp.arrow", "trace.json", "ranks", "link.arrow", "hard.arrow", "with space.arrow",
    "ünï.arrow", "b\udcffd.arrow", "50%.arrow", "there/own.arrow", "./own.arrow",
)  # fmt: skip
BAD_RECORDINGS = (
    "cut.arrow", "empty.arrow", "text.txt", "noise.arrow", "folder", "empty folder", "no.arrow",
    "no/own.arrow", "secret.arrow", "dangling.arrow", "loop.arrow", "fifo.arrow", "socket.arrow",
    "table.csv", "costs.json", "schedule.csv", "model.py", "out.png", "own.arrow/x", "hidden",
    "-dash.arrow", "new\nline.arrow", "/dev/null", "/dev/zero", "/dev/stdin", "/proc/self/mem", ".",
    "..", "/", "", "-", " ", "x" * 300, "x/" * 3000, "\udcff", "\x1b[31m.arrow", "http://x/y.arrow",
)  # fmt: skip
OUTPUTS = (
    "own.arrow", "link.arrow", "hard.arrow", "trace.json", "costs.json", "model.py", "schedule.csv",
    "there/own.arrow", "ranks", "ranks/rank-0.json.gz", "table.csv", "out.png", "out.json",
    "link.png", "link.csv", "loop.arrow", "dangling.arrow", "dangling.png", "folder",
    "empty folder", "folder/new", "no/new.png", "no/new", "readonly/new.png", "readonly/new.json",
    "readonly/kept.csv", "own.arrow/new.png", "/dev/null", "/dev/full", "/dev/stdout",
    "/dev/stderr", "/dev/fd/1", "/proc/new.png", "", "-", " ", ".", "..", "/", "x" * 300 + ".png",
    "new\nline.csv", "\udcff.json", "ünï.png", "-dash.csv", "\x1b[31m.html",
)  # fmt: skip


def fill(folder: Path) -> None:
    """Write the files into an empty folder."""
    record(specification(steps=2, microbatches=2), folder / "own.arrow")
    record(specification("dp", steps=2), folder / "dp.arrow")
    whole = (folder / "own.arrow").read_bytes()
    for name in ("with space.arrow", "ünï.arrow", "50%.arrow", "-dash.arrow", "new\nline.arrow",
                 "secret.arrow"):  # fmt: skip
        (folder / name).write_bytes(whole)
    with open(os.fsencode(folder / "b\udcffd.arrow"), "wb") as file:
        file.write(whole)
    (folder / "cut.arrow").write_bytes(whole[: len(whole) * 2 // 3])
    (folder / "noise.arrow").write_bytes(bytes(range(256)) * 20)
    (folder / "empty.arrow").write_bytes(b"")
    (folder / "text.txt").write_text("no recording\n")
    (folder / "trace.json").write_text(json.dumps(TRACE))
    (folder / "costs.json").write_text(json.dumps(COSTS))
    lines = "".join(f"{name} = {value}\n" for name, value in COSTS.items())
    (folder / "costs.toml").write_text(lines)
    (folder / "model.py").write_text(MODEL)
    (folder / "bad.py").write_text("raise RuntimeError('a model\\nthat cannot be built')\n")
    (folder / "schedule.csv").write_text(SCHEDULE)
    (folder / "table.csv").write_text(header_text())
    (folder / "cut-table.csv").write_text(header_text()[:20])
    shutil.copy(RESOURCES / "lessons" / "1-one-batch-on-several-devices.md", folder / "lesson.md")
    (folder / "out.png").write_bytes(b"an older picture")
    (folder / "out.json").write_text("{}")
    shutil.copytree(PROJECT_ROOT / "tests" / "data" / "two-ranks", folder / "ranks")
    (folder / "folder").mkdir()
    (folder / "folder" / "note.txt").write_text("kept\n")
    (folder / "empty folder").mkdir()
    (folder / "readonly").mkdir()
    (folder / "readonly" / "kept.csv").write_text("a,b\n")
    (folder / "hidden").mkdir()
    shutil.copy(folder / "own.arrow", folder / "hidden" / "rank-0.arrow")
    (folder / "there").symlink_to(".")
    for link, target in (("link.arrow", "own.arrow"), ("dangling.arrow", "nowhere"),
                         ("loop.arrow", "loop.arrow"), ("link.png", "out.png"),
                         ("link.csv", "schedule.csv"), ("dangling.png", "made.png")):  # fmt: skip
        (folder / link).symlink_to(target)
    os.link(folder / "own.arrow", folder / "hard.arrow")
    os.mkfifo(folder / "fifo.arrow")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "socket.arrow"))
    (folder / "secret.arrow").chmod(0)
    (folder / "hidden").chmod(0)
    (folder / "readonly").chmod(0o555)


def empty(folder: Path) -> None:
    """Remove what is in a folder, and the folder."""
    for name in ("readonly", "hidden"):
        if (folder / name).is_dir():
            (folder / name).chmod(0o700)
    shutil.rmtree(folder)


def listing(folder: Path) -> dict[str, str]:
    """Return a folder's contents by path: kind, permissions, and a hash or a link's target.

    Paths are relative, and have surrogates for bytes that are no text.
    """
    found = {}
    for where, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(where, name)
            found[str(path.relative_to(folder))] = _told(path)
    return found


def _told(path: Path) -> str:
    status = path.lstat()
    kind = stat.filemode(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return f"{kind} {os.readlink(path)}"
    if stat.S_ISREG(status.st_mode):
        data = path.read_bytes()
        return f"{kind} {len(data)} {hashlib.sha256(data).hexdigest()[:16]}"
    return kind
