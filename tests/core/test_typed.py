import subprocess
import sys

from core.paths import PROJECT_ROOT

THREADS = """
import sys
from dataclasses import make_dataclass
from threading import Barrier, Thread

from core.typed import typed

sys.setswitchinterval(1e-6)
fields = [(f"field{number}", int) for number in range(20)]
values = {"inner": {name: 1 for name, _ in fields}, "last": 3}
for number in range(300):
    inner = make_dataclass("Inner", fields)
    outer = make_dataclass("Outer", [("inner", inner), ("last", int)])
    together, converted = Barrier(3), []

    def convert():
        together.wait()
        converted.append(typed(outer, values))

    threads = [Thread(target=convert) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [value.last for value in converted] == [3] * 3
"""


def test_threads_may_convert_to_a_type_for_the_first_time_at_once():
    # The library ends the process, so this has one of its own.
    command = [sys.executable, "-c", THREADS]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
