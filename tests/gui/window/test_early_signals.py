"""A signal that arrives while the window is being made ends it, as a later signal does."""

import os
import signal
import subprocess
import sys

import pytest

from core.process.child import environment

EARLY = """
import os, sys
from gui.window import start as app, window
class Early(window.MainWindow):
    def show(self):
        {before}
        super().show()
        {after}
app.MainWindow = Early
sys.exit(app.start([]))
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_start_up_ends_the_window(tmp_path, when, number):
    kill = f"os.kill(os.getpid(), {int(number)})"
    code = EARLY.format(**{"before": "", "after": "", when: kill})
    own = {"XDG_CONFIG_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**environment(), **own}, cwd=tmp_path,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert os.listdir(tmp_path) in ([], ["bubblescope"])
