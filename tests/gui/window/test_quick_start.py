import gc
import subprocess
import sys

from core.paths import PROJECT_ROOT

CODE = """
import gc
from gui.window import quick_start
quick_start.begin()
assert not gc.isenabled()
from shibokensupport import feature
assert not feature._mod_uses_pyside(quick_start)  # although its source has the word in it
quick_start.end()
assert gc.isenabled() and gc.get_freeze_count() > 1000
"""


def test_the_collector_rests_and_no_source_is_read_until_the_window_is_there():
    subprocess.run([sys.executable, "-c", CODE], cwd=PROJECT_ROOT, check=True, timeout=60)
    assert gc.isenabled()  # here, nobody began
