"""Asking beforehand whether files could be written."""

from __future__ import annotations

import os
from pathlib import Path

from core.plan.task import PlanError

IMAGE_SUFFIXES = (".png", ".svg", ".pdf")


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


def check_image(option: str, path: str | None) -> None:
    """Raise PlanError if `path` is no image that can be drawn. None is fine."""
    if path is not None and Path(path).suffix.lower() not in IMAGE_SUFFIXES:
        raise PlanError(f"{option} {path}: use a name that ends in {', '.join(IMAGE_SUFFIXES)}")
    check_writable(option, path)
