"""Atomic writing of files, and checks beforehand whether a file can be written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import PlanError
from core.message import message
from core.temporary import temporary_file, temporary_folder

_FILES = ("record", "summary", "csv", "table", "markdown", "junit")
_FOLDERS = ("kineto", "chakra")
_INPUTS = (
    "recording",
    "recordings",
    "source",
    "other",
    "a",
    "b",
    "baseline",
    "new",
    "costs",
    "model",
    "schedule",
)
"""Arguments and options that name inputs."""
ENDINGS = {
    "animation": (".gif", ".webp"),
    "gradients": (".npz",),
    "image": (".png", ".svg", ".pdf"),
    "report": (".html", ".htm"),
    "runs": (".tex", ".md", ".csv"),
    "trace": (".json", ".json.gz", ".pftrace"),
}
"""Accepted endings of output file names, by option."""
OUTPUTS = (*_FILES, *ENDINGS, *_FOLDERS)
"""Options that name outputs."""


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path, which replaces `path` if the context ends without an error.

    The temporary file is in the same folder, under an unpredictable name, and is deleted after an
    error, so that no half-written file remains. If this process is killed, the next process that
    writes to the folder deletes it. Special files (`/dev/stdout`, a pipe) are written directly.
    Raises OSError in one line that names `path`, and BrokenPipeError if nobody reads standard
    output any more.
    """
    # If `path` is a link, its target is replaced and the link stays.
    target = Path(os.path.realpath(path))
    try:
        if _is_replaced(path):
            with temporary_file(target.parent) as place:
                yield place
                # Atomic, because both are in the same folder and so on the same file system.
                os.replace(place, target)
        else:
            # Opening a pipe waits for its reader. Wait here, because Qt would ignore Ctrl+C.
            with Path(path).open("ab"):
                yield Path(path)
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _is_standard_output(path):
            raise
        raise OSError(
            message("{path} cannot be written: {reason}", path=path, reason=reason(error))
        ) from error


@contextmanager
def whole_folder(path: Path | str) -> Iterator[Path]:
    """Yield a temporary folder, which becomes `path` if the context ends without an error.

    `path` may be an empty folder. After an error the temporary folder is deleted. Raises OSError
    in one line that names `path`.
    """
    target = Path(os.path.realpath(path))
    try:
        with temporary_folder(target.parent) as place:
            yield place
            # The system replaces an empty folder, and refuses to replace any other.
            place.rename(target)
    except OSError as error:
        raise OSError(
            message("{path} cannot be written: {reason}", path=path, reason=reason(error))
        ) from error


def reason(error: OSError) -> str:
    """Return the system's own message of an error, without the additions of libraries."""
    if not error.errno:
        return str(error)
    return os.strerror(error.errno)


def _is_replaced(path: Path | str) -> bool:
    """Return True if a file is replaced when it is written, False for a special file.

    `/dev/stdout` is special, even if it leads to a file.
    """
    whole = Path(path).absolute()
    if str(whole) in ("/dev/stdout", "/dev/stderr"):
        return False
    if {Path("/dev/fd"), Path("/proc")} & set(whole.parents):
        return False
    target = Path(os.path.realpath(path))
    return target.is_file() or not target.exists()


def _is_standard_output(path: Path | str) -> bool:
    """Return True if a path leads to the standard output of this process."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(1))
    except OSError:
        return False


def check_writable(option: str, path: str | None) -> None:
    """Raise PlanError if no file can be written at `path`, without touching it; None passes."""
    if path is None:
        return
    check_is_no_dash(option, path)
    target = Path(path)
    is_replaced = _is_replaced(path)
    if is_replaced:
        # A link stays, and the file to which it leads is replaced.
        target = Path(os.path.realpath(path))
    folder = target.absolute().parent
    if target.is_dir():
        raise PlanError(
            message("{option} {path}: that is a folder; name a file", option=option, path=path)
        )
    if not folder.is_dir():
        raise PlanError(
            message(
                "{option} {path}: there is no folder {folder}; use one that exists",
                option=option,
                path=path,
                folder=folder,
            )
        )
    is_writable = not target.exists() or os.access(target, os.W_OK)
    if is_replaced:
        # The new file is made in the folder, under another name.
        is_writable = is_writable and os.access(folder, os.W_OK)
    if not is_writable:
        raise PlanError(
            message(
                "{option} {path}: {folder} is not writable; use another folder",
                option=option,
                path=path,
                folder=folder,
            )
        )


def check_is_no_dash(option: str, path: str) -> None:
    """Raise PlanError for `-`, which other programs take for standard output."""
    if path == "-":
        raise PlanError(
            message(
                "{option} -: use ./- for that name, or /dev/stdout for standard output",
                option=option,
            )
        )


def check_folder(option: str, path: str) -> None:
    """Raise PlanError if no folder can be created at `path`, without touching anything."""
    check_is_no_dash(option, path)
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise PlanError(
            message(
                "{option} {path}: that already exists; name a new or an empty folder",
                option=option,
                path=path,
            )
        )
    if not target.parent.is_dir():
        raise PlanError(
            message(
                "{option} {path}: there is no folder {parent}; use one that exists",
                option=option,
                path=path,
                parent=target.parent,
            )
        )
    if not os.access(target.parent, os.W_OK):
        raise PlanError(
            message(
                "{option} {path}: {parent} is not writable; use another folder",
                option=option,
                path=path,
                parent=target.parent,
            )
        )


def check_is_no_input(option: str, path: Path | str, inputs: Iterable[Path | str]) -> None:
    """Raise PlanError if writing to `path` would replace one of `inputs`, or a file in one.

    Files are compared by device and inode, which also finds links and other spellings of a path.
    Special files, such as /dev/stdout, are not replaced.
    """
    output = _identity(path)
    if output is None:
        return
    for name in inputs:
        files = Path(name).iterdir() if os.path.isdir(name) else [Path(name)]
        if output in map(_identity, files):
            raise PlanError(
                message(
                    "{option} {path}: that file is an input; name another file",
                    option=option,
                    path=path,
                )
            )


def _identity(path: Path | str) -> tuple[int, int] | None:
    """Return the device and inode of a regular file, or None."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # ValueError: a name with a null byte
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return (found.st_dev, found.st_ino)


def inputs_of(given: Mapping[str, Any]) -> list[str]:
    """Return the files and folders that a command reads, by its options and arguments."""
    found = []
    for name in _INPUTS:
        value = given.get(name)
        values = value if isinstance(value, list) else [value]
        # A model or a schedule may be a built-in name or a file.
        found += [one for one in values if isinstance(one, str) and os.path.exists(one)]
    return found


def check_outputs(given: Mapping[str, Any], others: Iterable[str] = ()) -> None:
    """Raise PlanError for an output that cannot be written.

    Outputs must differ from each other and from the inputs: those in `given` and `others`. The
    options of ENDINGS and _FILES name files, and those in _FOLDERS name folders; options that are
    not given are ignored.
    """
    named = {name: given[name] for name in OUTPUTS if given.get(name) is not None}
    for name, path in named.items():
        if name in _FOLDERS:
            check_folder(f"--{name}", path)
            continue
        endings = ENDINGS.get(name, ())
        if endings and not path.lower().endswith(endings):
            raise PlanError(
                message(
                    "--{name} {path}: use a name that ends in {endings}",
                    name=name,
                    path=path,
                    endings=", ".join(endings),
                )
            )
        check_writable(f"--{name}", path)
    # Several outputs may go to /dev/stdout or /dev/null.
    files = {name: path for name, path in named.items() if not path.startswith("/dev/")}
    inputs = [*inputs_of(given), *others]
    seen = set()
    for name, path in files.items():
        check_is_no_input(f"--{name}", path, inputs)
        place = os.path.realpath(path)
        if place in seen:
            raise PlanError(
                message("{path} is named for two outputs; use a file for each", path=path)
            )
        seen.add(place)


def write_whole(path: Path | str | None, text: str) -> None:
    """Write a text to a file atomically; None writes nothing. Raises OSError in one line."""
    if path is not None:
        with whole_file(path) as place:
            place.write_text(text, encoding="utf-8")
