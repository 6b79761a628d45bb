"""Start without a display, or with a display that does not answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import gettempdir

import pytest

from core.paths import PROJECT_ROOT
from tests.make_believe import record, specification

NONE = {name: "" for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
STRANGE = [{"DISPLAY": ":987"}, {"QT_QPA_PLATFORM": "no\nsuch"}, {"WAYLAND_DISPLAY": "wayland-987"}]


def call(words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROJECT_ROOT / "main.py"), *words], capture_output=True, text=True,
        # If this folder is missing, a library that Qt loads prints a line about it.
        timeout=60, env={**os.environ, **NONE, "XDG_RUNTIME_DIR": gettempdir(), **environment},
    )  # fmt: skip


@pytest.mark.parametrize("environment", STRANGE)
def test_a_window_on_an_unusable_display_is_refused_in_one_line(
    environment: dict[str, str],
) -> None:
    done = call([], environment)
    assert done.returncode == 2
    assert "there is no display to open a window on" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_a_window_without_a_display_is_refused_in_one_line(tmp_path: Path) -> None:
    done = call(["open", str(tmp_path)], {})
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "there is no display" in done.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("QT_SCALE_FACTOR", "0"),
        ("QT_SCALE_FACTOR", "nan"),
        ("QT_SCALE_FACTOR", "9" * 30),
        ("QT_FONT_DPI", "99999999"),
    ],
)
@pytest.mark.parametrize("words", [[], ["open", "run.arrow"]])
def test_a_scale_that_qt_cannot_draw_with_is_refused_in_one_line(
    words: list[str], name: str, text: str
) -> None:
    done = call(words, {"QT_QPA_PLATFORM": "offscreen", name: text})
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"bubblescope: {name} is {text}; ")


@pytest.mark.parametrize("environment", STRANGE)
def test_a_command_draws_without_a_usable_display(
    environment: dict[str, str], tmp_path: Path
) -> None:
    record(specification(steps=1), tmp_path / "run.arrow")
    done = call(["export", str(tmp_path / "run.arrow"), "--image", str(tmp_path / "x.svg")],
                environment)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x.svg").read_text().startswith("<?xml")
