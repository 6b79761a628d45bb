"""Files that a client sends to its engine's machine: a model that was in the client's memory."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from core.message import message
from core.temporary import temporary_folder

PIECE = 1 << 15
"""Bytes of a file in one command."""


def pieces_of(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield the files in pieces, each as the values of a command.

    Raises OSError if a file cannot be read.
    """
    for path in files:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                yield {"name": path.name, "data": base64.b64encode(piece).decode("ascii")}


class KeptFiles:
    """Received files in a private temporary folder, which is created with the first file.

    `close` removes it. If this process is killed, the next process that keeps files removes it.
    """

    def __init__(self) -> None:
        self._folders = ExitStack()
        self._folder: Path | None = None

    def add(self, piece: dict[str, Any]) -> None:
        """Append a piece to its file. Raises ValueError for a name with a folder, and OSError."""
        path = self.path(piece["name"])
        with path.open("ab") as file:
            file.write(base64.b64decode(piece["data"]))

    def path(self, name: str) -> Path:
        """Return the path of a file. Raises ValueError for a name with a folder, and OSError."""
        if Path(name).name != name:
            raise ValueError(message("{name!r} is not the name of a file", name=name))
        if self._folder is None:
            made = self._folders.enter_context(temporary_folder(Path(tempfile.gettempdir())))
            self._folder = made / "model"
            self._folder.mkdir(0o700)
        return self._folder / name

    def close(self) -> None:
        """Remove all files."""
        self._folders.close()
