"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """A path to write to, which becomes `path` when the context is left without an error.

    It stands beside `path` and is gone if there is an error, so that a half-written file is never
    left. What is no ordinary file (`/dev/stdout`, a pipe) is written to directly. Raises OSError
    in one line that names `path`.
    """
    target = Path(path)
    ordinary = target.is_file() or not target.exists()
    place = target.with_name(f".{target.stem}.part{target.suffix}") if ordinary else target
    try:
        yield place
        if ordinary:
            os.replace(place, target)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if ordinary:
            place.unlink(missing_ok=True)
