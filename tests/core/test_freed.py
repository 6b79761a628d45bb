"""Memory that was freed is used again without a page of it being touched for the first time."""

import subprocess
import sys

import pytest

from core.paths import PROJECT_ROOT

FAULTS = """
import resource, sys
import numpy as np
from core.freed import keep_freed

if sys.argv[1] == "kept":
    keep_freed(1 << 24, 1 << 26)
faults = []
for _ in range(4):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(1 << 22, np.uint8) for _ in range(4)]
    del arrays
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(faults[1:]))
"""


def faults(how):
    done = subprocess.run(
        [sys.executable, "-c", FAULTS, how],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's malloc is told")
def test_freed_memory_stays_and_is_used_again():
    assert 2 * faults("kept") < faults("given back")
