"""Installation of an icon and a menu entry for Linux desktops."""

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
RESERVED = frozenset(" \t\n\r\"'\\><~|&;$*?#()`")  # characters to quote in an Exec line


def install(_: argparse.Namespace) -> None:
    """Install, and print the written files."""
    print(*install_desktop(), sep="\n")


def install_desktop() -> list[Path]:
    """Write the icon and the menu entry to the user's XDG data folder; return the files.

    Formats and folders are defined by freedesktop.org's Desktop Entry and Icon Theme
    specifications. Raises ValueError on other systems, OSError if a file cannot be written.
    """
    if sys.platform in ("darwin", "win32"):
        raise ValueError(f"--install-desktop: {sys.platform} has no menu entries of this kind")
    data = data_folder()
    icon = (RESOURCES / "icons" / "bubblescope.svg").read_text()
    files = {
        data / "icons/hicolor/scalable/apps/bubblescope.svg": icon,
        data / "applications/bubblescope.desktop": ENTRY.format(command=_command()),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    return list(files)


def _command() -> str:
    """Return the Exec line that starts this installation from any folder."""
    script = Path(sys.executable).parent / "bubblescope"
    # With its path, because a desktop does not have the PATH of a virtual environment.
    words = [script] if script.is_file() else [Path(sys.executable), PROJECT_ROOT / "main.py"]
    line = " ".join(map(quoted_word, map(str, words)))
    try:
        line.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"--install-desktop: {line} is not UTF-8, as menu entries must be; use another folder"
        ) from None
    return line


def quoted_word(word: str) -> str:
    """Escape a word of an Exec line: double percent signs, quote reserved characters."""
    word = word.replace("%", "%%")
    if not RESERVED & set(word):
        return word
    # The backslash first, so that backslashes of the other escapes are not doubled.
    for character in '\\"`$':
        word = word.replace(character, "\\" + character)
    # Strings of the file are escaped a second time.
    for character, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        word = word.replace(character, escape)
    return f'"{word}"'
