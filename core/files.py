"""Writing a file whole or not at all, and asking beforehand whether it could be written."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import PlanError

_FILES = ("record", "summary", "csv", "table")
_FOLDERS = ("kineto", "chakra")
_INPUTS = ("recording", "recordings", "a", "b", "costs", "model", "schedule")
"""Arguments and options that name what is read."""
ENDINGS = {
    "gradients": (".npz",),
    "image": (".png", ".svg", ".pdf"),
    "report": (".html", ".htm"),
    "trace": (".json", ".json.gz", ".pftrace"),
}
"""Options of files whose name's end says, or chooses, their form."""


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """A path to write to, which becomes `path` when the context is left without an error.

    It stands beside `path`, under a name that nobody can foresee, and is gone if there is an error,
    so that a half-written file is never left. What is no ordinary file (`/dev/stdout`, a pipe) is
    written to directly. Raises OSError in one line that names `path`.
    """
    # Where `path` is a link, the file that it leads to is replaced, and the link stays.
    target = Path(os.path.realpath(path))
    ordinary = _is_ordinary(Path(path)) and (target.is_file() or not target.exists())
    try:
        if ordinary:
            with _new_beside(target) as place:
                yield place
                # At once, as both are in one folder: across file systems it would be a copy.
                os.replace(place, target)
        else:
            # Who opens a pipe waits for its reader: here, where Ctrl+C is heard. Qt would not hear.
            with Path(path).open("ab"):
                yield Path(path)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {reason(error)}") from error


@contextmanager
def whole_folder(path: Path | str) -> Iterator[Path]:
    """A new folder to write to, which becomes `path` when the context is left without an error.

    It stands beside `path`, where there may be an empty folder, and is gone if there is an error.
    Raises OSError in one line that names `path`.
    """
    target = Path(os.path.realpath(path))
    place = target.with_name(f".bubblescope-{secrets.token_hex(8)}.part")
    try:
        place.mkdir()
        try:
            yield place
            # The system lets an empty folder be replaced, and refuses any other.
            place.rename(target)
        finally:
            shutil.rmtree(place, ignore_errors=True)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {reason(error)}") from error


def reason(error: OSError) -> str:
    """What the system says of an error, in its own words: libraries add theirs."""
    return os.strerror(error.errno) if error.errno else str(error)


@contextmanager
def _new_beside(target: Path) -> Iterator[Path]:
    """A new empty file in a target's folder, which nobody else has made and no link leads to."""
    place = target.with_name(f".bubblescope-{secrets.token_hex(8)}.part")
    # 0o666 less the umask, as any program's file; one of `tempfile` only its owner could read.
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


def check_folder(option: str, path: str) -> None:
    """Raise PlanError if no new folder can be made at `path`; touches nothing."""
    target = Path(path).absolute()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise PlanError(f"{option} {path}: that is there; name a new or an empty folder")
    if not target.parent.is_dir():
        raise PlanError(f"{option} {path}: there is no folder {target.parent}; use one that exists")
    if not os.access(target.parent, os.W_OK):
        raise PlanError(f"{option} {path}: {target.parent} cannot be written; use one that can")


def check_is_no_input(option: str, path: Path | str, inputs: Iterable[Path | str]) -> None:
    """Raise PlanError if writing to `path` would replace one of `inputs`, or a file in one.

    Files are compared by device and inode, so links and other spellings of a path count too. What
    is no regular file, such as /dev/stdout, is not replaced.
    """
    output = _identity(path)
    if output is None:
        return
    for name in inputs:
        files = Path(name).iterdir() if os.path.isdir(name) else [Path(name)]
        if output in map(_identity, files):
            raise PlanError(f"{option} {path}: that is what is read; name another file")


def _identity(path: Path | str) -> tuple[int, int] | None:
    """Return the device and inode of a regular file; None if there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # ValueError: a name with a null byte
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def inputs_of(given: Mapping[str, Any]) -> list[str]:
    """Return the files and folders that a command reads, by its options and arguments."""
    found = []
    for name in _INPUTS:
        value = given.get(name)
        values = value if isinstance(value, list) else [value]
        # A model or a schedule may be a name of ours or somebody's own file.
        found += [one for one in values if isinstance(one, str) and os.path.exists(one)]
    return found


def check_outputs(given: Mapping[str, Any]) -> None:
    """Raise PlanError for a file that cannot be written, or would replace another one's.

    Outputs must differ from each other and from what the command reads. Files are named by options
    of ENDINGS or of _FILES, folders by those of _FOLDERS; what is not given is fine.
    """
    every = (*_FILES, *ENDINGS, *_FOLDERS)
    named = {name: given[name] for name in every if given.get(name) is not None}
    for name, path in named.items():
        if name in _FOLDERS:
            check_folder(f"--{name}", path)
            continue
        endings = ENDINGS.get(name, ())
        if endings and not path.lower().endswith(endings):
            raise PlanError(f"--{name} {path}: use a name that ends in {', '.join(endings)}")
        check_writable(f"--{name}", path)
    # Two outputs may well both go to /dev/stdout or /dev/null.
    files = {name: path for name, path in named.items() if not path.startswith("/dev/")}
    inputs, seen = inputs_of(given), set()
    for name, path in files.items():
        check_is_no_input(f"--{name}", path, inputs)
        place = os.path.realpath(path)
        if place in seen:
            raise PlanError(f"{path} is named for two outputs; use a file for each")
        seen.add(place)


def write_whole(path: Path | str | None, text: str) -> None:
    """Write a text to a file, whole or not at all, or to none. Raises OSError in one line."""
    if path is not None:
        with whole_file(path) as place:
            place.write_text(text, encoding="utf-8")
