"""Folders of the project's own files and of the user's."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
RESOURCES = PROJECT_ROOT / "resources"


def home_folder() -> Path:
    """The user's home folder; the root folder for a user who has none, as in some containers."""
    try:
        return Path.home()
    except RuntimeError:  # HOME is not set, and the system does not know the user
        return Path("/")


def data_folder() -> Path:
    """The user's own folder for data of programs, as the XDG base directories name it."""
    return _base_folder("XDG_DATA_HOME", home_folder() / ".local" / "share")


def cache_folder() -> Path:
    """The user's own folder for what can be made again, as the XDG base directories name it."""
    return _base_folder("XDG_CACHE_HOME", home_folder() / ".cache")


def _base_folder(variable: str, otherwise: Path) -> Path:
    """The folder that a variable names; a relative path is ignored, as the specification asks."""
    given = os.environ.get(variable, "")
    return Path(given) if os.path.isabs(given) else otherwise
