"""Writing a file whole or not at all, and asking beforehand whether it could be written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.plan.task import PlanError

IMAGE_SUFFIXES = (".png", ".svg", ".pdf")


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """A path to write to, which becomes `path` when the context is left without an error.

    It stands beside `path`, under a name that nobody can foresee, and is gone if there is an error,
    so that a half-written file is never left. What is no ordinary file (`/dev/stdout`, a pipe) is
    written to directly. Raises OSError in one line that names `path`.
    """
    target = Path(os.path.realpath(path))
    ordinary = _is_ordinary(Path(path)) and (target.is_file() or not target.exists())
    try:
        if ordinary:
            with _new_beside(target) as place:
                yield place
                os.replace(place, target)
        else:
            # Who opens a pipe waits for its reader: here, where Ctrl+C is heard. Qt would not hear.
            with Path(path).open("ab"):
                yield Path(path)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {reason(error)}") from error


def reason(error: OSError) -> str:
    """What the system says of an error, in its own words: libraries add theirs."""
    return os.strerror(error.errno) if error.errno else str(error)


@contextmanager
def _new_beside(target: Path) -> Iterator[Path]:
    """A new empty file in a target's folder, which nobody else has made and no link leads to."""
    place = target.with_name(f".bubblescope-{secrets.token_hex(8)}.part")
    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666))
    try:
        yield place
    finally:
        place.unlink(missing_ok=True)


def _is_ordinary(path: Path) -> bool:
    """Whether a path may be replaced: `/dev/stdout` may not, even where it leads to a file."""
    whole = path.absolute()
    standing = {Path("/dev/fd"), Path("/proc")} & set(whole.parents)
    return not standing and str(whole) not in ("/dev/stdout", "/dev/stderr")


def check_writable(option: str, path: str | None) -> None:
    """Raise PlanError if no file can be written at `path`; touches nothing. None is fine."""
    if path is None:
        return
    target = Path(path)
    folder = target.absolute().parent
    if target.is_dir():
        raise PlanError(f"{option} {path}: that is a folder; name a file")
    if not folder.is_dir():
        raise PlanError(f"{option} {path}: there is no folder {folder}; use one that exists")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise PlanError(f"{option} {path}: {folder} cannot be written; use a folder that can")


def check_distinct(*paths: str | None) -> None:
    """Raise PlanError if two outputs would overwrite each other."""
    named = [path for path in paths if path is not None and not path.startswith("/dev/")]
    for path in named:
        if sum(os.path.abspath(path) == os.path.abspath(other) for other in named) > 1:
            raise PlanError(f"{path} is named for two outputs; use a file for each")


def check_image(option: str, path: str | None) -> None:
    """Raise PlanError if `path` is no image that can be drawn. None is fine."""
    if path is not None and Path(path).suffix.lower() not in IMAGE_SUFFIXES:
        raise PlanError(f"{option} {path}: use a name that ends in {', '.join(IMAGE_SUFFIXES)}")
    check_writable(option, path)


def check_page(option: str, path: str | None) -> None:
    """Raise PlanError if `path` is no page that can be written. None is fine."""
    if path is not None and Path(path).suffix.lower() not in (".html", ".htm"):
        raise PlanError(f"{option} {path}: use a name that ends in .html")
    check_writable(option, path)
