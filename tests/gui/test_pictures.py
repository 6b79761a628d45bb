"""The window still looks as its stored pictures do (`make pictures` makes new ones)."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtGui import QImage

from gui.window.window import MainWindow
from tests.gui.pictures import FOLDER, SCENES, difference, picture

LIKE = 0.02  # another font differs by less, another panel below the timeline by more
COMPARED = ("gap-explained", "why-ladder", "pipeline-dark", "compare")


def stored(name: str) -> QImage:
    image = QImage(str(FOLDER / f"{name}.png"))
    assert not image.isNull(), f"{name}.png is missing: make pictures"
    return image


@pytest.mark.parametrize("name", COMPARED)
def test_the_window_matches_its_stored_picture(name: str, window: MainWindow) -> None:
    assert difference(picture(name, window), stored(name)) < LIKE


def test_pictures_of_different_scenes_do_not_match() -> None:
    for one, other in itertools.combinations(COMPARED, 2):
        assert difference(stored(one), stored(other)) > LIKE


def test_every_scene_has_its_stored_picture() -> None:
    assert all((FOLDER / f"{name}.png").exists() for name in SCENES)
