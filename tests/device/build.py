"""Compiles the test device, a simulated accelerator that runs asynchronously.

`device_environment()` returns variables with which a Python process, and all of its children, have
the device: torch finds it as it finds any out-of-tree backend, by an entry point of a distribution
on PYTHONPATH. The library is kept in build/device and is compiled again after a change.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.device.backend import LIBRARY, NAME, folder

SOURCES = Path(__file__).parent
ROOT = SOURCES.parents[1]


def compiler() -> str | None:
    """Return the C++ compiler, or None if there is none."""
    return shutil.which(os.environ.get("CXX", "c++"))


def build() -> Path:
    """Return the folder of the compiled device. Raises CalledProcessError if it cannot be made."""
    import torch
    from torch.utils.cpp_extension import include_paths, library_paths

    made = folder()
    made.mkdir(parents=True, exist_ok=True)
    stamp = made / "stamp"
    wanted = _checksum(torch.__version__)
    if stamp.exists() and stamp.read_text() == wanted:
        return made
    command = [
        *(compiler() or "c++", "-std=c++20", "-O1", "-fPIC", "-shared"),
        *(f"-I{path}" for path in include_paths()),
        str(SOURCES / "backend.cpp"),
        *("-o", str(made / LIBRARY)),
        *(f"-L{path}" for path in library_paths()),
        *("-ltorch", "-ltorch_cpu", "-lc10"),
    ]
    subprocess.run(command, check=True)
    _write_distribution(made / f"{NAME}_device-1.dist-info")
    stamp.write_text(wanted)
    return made


def device_environment(**variables: str) -> dict[str, str]:
    """Return this process's environment, with the device and the given variables.

    A kernel runs on one core: with several, the threads of all streams would wait for each other.
    """
    paths = [str(ROOT), str(build())]
    if "PYTHONPATH" in os.environ:
        paths.append(os.environ["PYTHONPATH"])
    own = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    return {**os.environ, **own, **variables}


def _checksum(version: str) -> str:
    """Return a checksum of the sources and of torch's version."""
    sources = sorted([*SOURCES.glob("*.h"), *SOURCES.glob("*.cpp")])
    contents = b"".join(source.read_bytes() for source in sources)
    return hashlib.sha256(version.encode() + contents).hexdigest()


def _write_distribution(made: Path) -> None:
    """Write what tells torch about the device: a distribution with one entry point."""
    made.mkdir(exist_ok=True)
    (made / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}-device\nVersion: 1\n")
    entry = f"[torch.backends]\n{NAME} = tests.device.backend:load\n"
    (made / "entry_points.txt").write_text(entry)


if __name__ == "__main__":
    print(build())
