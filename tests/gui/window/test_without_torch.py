"""A window that cannot import torch shows the reason at its start and when a run is requested."""

import pytest

from core.engine.client import EngineClient

pytestmark = pytest.mark.starts_processes

WHY = "Torch cannot be imported (ImportError: no libtorch); "


@pytest.fixture
def window(make_window, settings, tmp_path, monkeypatch):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('no libtorch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return make_window(EngineClient(), settings)


def test_the_reason_is_shown_at_start_up_and_for_a_run(window, qtbot):
    banner = window.banner
    window.session.start()
    qtbot.waitUntil(lambda: banner.label.text().startswith(WHY), timeout=30_000)
    banner.hide()
    window.action("run").trigger()
    qtbot.waitUntil(banner.isVisible, timeout=30_000)
    assert "orch cannot be imported (ImportError: no libtorch)" in banner.label.text()
    assert "pip install --force-reinstall torch" in banner.label.text()
