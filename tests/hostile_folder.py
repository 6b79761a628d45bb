"""A folder full of modules with the names of Python's own and of our dependencies.

Each notes that it ran. None must, however the app is started from such a folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

DEPENDENCIES = (
    "PySide6", "core", "duckdb", "gui", "main", "msgspec", "numpy", "pyarrow", "pyqtgraph",
    "resources", "shtab", "sitecustomize", "torch", "usercustomize",
)  # fmt: skip
NOTES = "ran.txt"


def fill_with_modules(folder: Path) -> None:
    """Write the modules into a folder."""
    notes = folder / NOTES
    text = f"open({str(notes)!r}, 'a').write(__name__ + chr(10))\n"
    for name in (*sys.stdlib_module_names, *DEPENDENCIES):
        (folder / f"{name}.py").write_text(text)


def ran_modules(folder: Path) -> str:
    """Return the names of the modules that ran, a line each."""
    notes = folder / NOTES
    return notes.read_text() if notes.exists() else ""
