import gc
import subprocess
import sys

from core.paths import PROJECT_ROOT

COLLECTOR = """
import gc
from gui.window import quick_start
quick_start.begin()
assert not gc.isenabled()
from shibokensupport import feature
assert not feature._mod_uses_pyside(quick_start)  # although its source has the word in it
quick_start.end()
assert gc.isenabled() and gc.get_freeze_count() > 1000
"""
DATACLASSES = """
from dataclasses import FrozenInstanceError, dataclass, field, replace
from gui.window import quick_start
quick_start.begin()
@dataclass(frozen=True, slots=True, order=True)
class Value:
    number: int
    names: list[str] = field(default_factory=list)
@dataclass(frozen=True, slots=True)
class Special(Value):
    size: float = 1.0
quick_start.end()
init = Value.__init__
one, two = Value(1), replace(Value(1, ["a"]), number=2)
assert Value.__init__ is not init  # compiled, and called without a detour from now on
assert repr(two) == "Value(number=2, names=['a'])" and one < two and one == Value(1)
assert hash(Value(1, ())) == hash(Value(1, ()))
assert repr(Special(3)) == "Special(number=3, names=[], size=1.0)"
try:
    one.number = 2
except FrozenInstanceError:
    pass
else:
    raise AssertionError("a frozen value was changed")
"""
LATE = """
import sys
from gui.window import quick_start
quick_start.begin()
import gui.window.start
late = ("pyarrow.lib", "_hashlib")
for_runs = ("core.report.verdict", "core.explain.ranks", "core.compare.runs", "core.process.worker")
for_palette = ("gui.features.palette.palette",)
imported = [name for name in late + for_runs + for_palette if name in sys.modules]
assert not imported, imported
quick_start.end()
assert all(name in sys.modules for name in late)
from core.recorder.stream import row_schema
import pyarrow
assert isinstance(row_schema(), pyarrow.Schema)
"""


def run(code):
    subprocess.run([sys.executable, "-c", code], cwd=PROJECT_ROOT, check=True, timeout=60)


def test_the_collector_is_off_and_no_source_is_read_until_the_window_is_shown():
    run(COLLECTOR)
    assert gc.isenabled()  # in this process, the start-up code has not run


def test_methods_of_dataclasses_are_compiled_on_their_first_call_and_behave_the_same():
    run(DATACLASSES)


def test_libraries_that_the_first_paint_does_not_need_are_loaded_after_it():
    run(LATE)
