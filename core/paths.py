"""Folders of the project's files and of the user's."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
RESOURCES = PROJECT_ROOT / "resources"


def home_folder() -> Path:
    """Return the user's home folder, or the root folder if there is none (some containers)."""
    try:
        return Path.home()
    except RuntimeError:  # HOME is not set, and the system does not know the user
        return Path("/")


def data_folder() -> Path:
    """Return the user's folder for program data, as defined by the XDG base directories."""
    return _base_folder("XDG_DATA_HOME", home_folder() / ".local" / "share")


def cache_folder() -> Path:
    """Return the user's folder for caches, as defined by the XDG base directories."""
    return _base_folder("XDG_CACHE_HOME", home_folder() / ".cache")


def _base_folder(variable: str, otherwise: Path) -> Path:
    """Return the folder in a variable; relative paths are ignored, as the specification asks."""
    given = os.environ.get(variable, "")
    if not os.path.isabs(given):
        return otherwise
    return Path(given)
