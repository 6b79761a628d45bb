"""Reads the lines of lesson files, and the header at their beginning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.files import reason
from core.message import Text, message
from core.reading import open_regular

MOST_BYTES = 100_000

Lines = list[tuple[int, str]]
"""Pairs of a line's number, from 1, and its text."""


class LessonError(ValueError):
    """A lesson cannot be read; the message names its file and line, and what is accepted."""


class LineError(ValueError):
    """A line of a lesson is wrong; `naming` turns it into a LessonError."""

    def __init__(self, line: int, text: Text) -> None:
        super().__init__(text)
        self.line = line


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn errors of a lesson's file into a LessonError that names the file and the line."""
    try:
        yield
    except OSError as error:
        raise LessonError(
            message("{path} cannot be read: {reason}", path=path, reason=reason(error))
        ) from error
    except UnicodeDecodeError as error:
        raise LessonError(message("{path}: it is not UTF-8 text", path=path)) from error
    except LineError as error:
        raise LessonError(
            message("{path}, line {number}: {error}", path=path, number=error.line, error=error)
        ) from error


def read_lines(path: Path) -> list[str]:
    """Return the lines of a lesson's file. Raises OSError, UnicodeDecodeError, LessonError."""
    with open_regular(path) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise LessonError(
            message("{path}: a lesson has at most {most:,} bytes", path=path, most=MOST_BYTES)
        )
    # Some editors write a byte order mark, which utf-8-sig skips.
    return data.decode("utf-8-sig").splitlines()


def read_header(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the values of a header by name, and the index of the first line after it.

    Raises LineError unless there is a header with a title.
    """
    begins = bool(lines) and lines[0].strip() == "---"
    if not begins or "---" not in lines[1:]:
        raise LineError(1, message("a lesson begins with ---, title: …, ---"))
    end = lines.index("---", 1)
    values: dict[str, str] = {}
    for line in lines[1:end]:
        # Only the first colon separates, because a title may contain one.
        name, _, value = line.partition(":")
        values[name.strip()] = value.strip()
    if not values.get("title"):
        raise LineError(2, message("the header needs a line title: …"))
    return values, end + 1
