"""What a file is, by its first bytes."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

GZIP = b"\x1f\x8b"


def is_chrome_trace(path: Path | str) -> bool:
    """Whether a file looks like one: it begins as JSON does, perhaps packed."""
    try:
        with Path(path).open("rb") as file:
            beginning = file.read(64)
            if beginning.startswith(GZIP):
                file.seek(0)
                beginning = gzip.GzipFile(fileobj=file).read(64)
    except (OSError, EOFError, zlib.error):
        return False
    return beginning.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")


def is_packed(path: Path | str) -> bool:
    """Whether a file's name says that it is packed."""
    return str(path).lower().endswith(".gz")


def trace_files(folder: Path | str) -> list[Path]:
    """The traces of a folder, by name: files that are JSON by their names, packed or not."""
    suffixes = (".json", ".json.gz")
    return sorted(path for path in Path(folder).iterdir() if path.name.lower().endswith(suffixes))
