"""Icon and menu entry where Linux desktops look: the XDG data folder of the user."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.files import write_whole
from core.paths import PROJECT_ROOT, RESOURCES, data_folder

ENTRY = """\
[Desktop Entry]
Type=Application
Name=Bubblescope
Comment=Shows parallel training steps as they happen, and why devices wait
Exec={command}
Icon=bubblescope
Terminal=false
Categories=Development;Science;
StartupWMClass=bubblescope
"""
RESERVED = frozenset(" \t\n\r\"'\\><~|&;$*?#()`")  # what has to be quoted in an Exec line


def install(_: argparse.Namespace) -> None:
    """Print the files that `install_desktop` writes."""
    print(*install_desktop(), sep="\n")


def install_desktop() -> list[Path]:
    """Write icon and menu entry; returns the files, which a second call writes anew.

    The formats and folders are those of freedesktop.org's Desktop Entry and Icon Theme
    specifications. Raises ValueError where desktops look elsewhere, OSError if a file cannot be
    written.
    """
    if sys.platform in ("darwin", "win32"):
        raise ValueError(f"--install-desktop: {sys.platform} has no menu entries of this kind")
    data, command = data_folder(), _command()
    files = {
        data / "icons/hicolor/scalable/apps/bubblescope.svg": (
            RESOURCES / "icons" / "bubblescope.svg"
        ).read_text(),
        data / "applications/bubblescope.desktop": ENTRY.format(command=command),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    return list(files)


def _command() -> str:
    """The Exec line that starts this very installation, from any folder."""
    script = Path(sys.executable).parent / "bubblescope"
    # Not `bubblescope` alone: a desktop has another PATH than the shell of a virtual environment.
    words = [script] if script.is_file() else [Path(sys.executable), PROJECT_ROOT / "main.py"]
    line = " ".join(map(quoted_word, map(str, words)))
    try:
        line.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"--install-desktop: {line} is no UTF-8, which a menu entry is; use another folder"
        ) from None
    return line


def quoted_word(word: str) -> str:
    """A word of an Exec line: a percent sign is doubled, a reserved character quotes the word."""
    word = word.replace("%", "%%")
    if not RESERVED & set(word):
        return word
    # The backslash first, or those that stand before the others would be doubled.
    for character in '\\"`$':
        word = word.replace(character, "\\" + character)
    # A string in the file is escaped once more, and is on one line.
    for character, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        word = word.replace(character, escape)
    return f'"{word}"'
