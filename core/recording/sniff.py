"""What a file is, by its first bytes."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

GZIP = b"\x1f\x8b"


def is_chrome_trace(path: Path | str) -> bool:
    """Whether a file looks like one: JSON, perhaps packed, by its first bytes."""
    try:
        with Path(path).open("rb") as file:
            return _is_json(file.read(64)) or _is_packed(path)
    except OSError:
        return False


def _is_json(beginning: bytes) -> bool:
    return beginning.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")


def _is_packed(path: Path | str) -> bool:
    """Whether a packed file begins as JSON does."""
    with Path(path).open("rb") as file:
        if file.read(2) != GZIP:
            return False
        file.seek(0)
        try:
            with gzip.open(file) as inner:
                return _is_json(inner.read(64))
        except (OSError, EOFError, zlib.error):
            return False
