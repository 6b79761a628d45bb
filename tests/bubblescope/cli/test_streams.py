"""Standard streams that a shell has closed, that are full, or that nobody reads any more."""

import os
import subprocess
import sys

import pytest

from core.paths import PROJECT_ROOT
from tests.make_believe import record, specification

PROGRAM = f"{sys.executable} {PROJECT_ROOT / 'main.py'}"
FULL = "bubblescope: standard output cannot be written: No space left on device\n"


def shell(line, folder):
    """Run a line with bash, in which BUBBLESCOPE is the program; the status of its first part."""
    line = f'{line}\nexit "${{PIPESTATUS[0]}}"'.replace("BUBBLESCOPE", PROGRAM)
    # Unbuffered output would fail with the first line that is printed and not at the end.
    variables = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=variables, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("words", ["--version", "lesson", "plan --strategy dp"])
def test_output_that_cannot_be_written_is_an_error_of_one_line(tmp_path, words):
    done = shell(f"BUBBLESCOPE {words} > /dev/full", tmp_path)
    assert (done.returncode, done.stderr) == (2, FULL)


def test_output_that_is_larger_than_the_buffer_ends_in_one_line_too(tmp_path):
    done = shell("BUBBLESCOPE --print-completion zsh > /dev/full", tmp_path)
    assert (done.returncode, done.stderr) == (2, "bubblescope: No space left on device\n")
    done = shell("BUBBLESCOPE --print-completion zsh | true", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", ["--help", "lesson"])
def test_output_that_nobody_reads_is_no_error(tmp_path, words):
    done = shell(f"BUBBLESCOPE {words} | true", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    [
        "export {} --table /dev/stdout",
        "sql {} 'FROM range(100000)' --csv /dev/stdout",
        "compare {0} {0} --summary /dev/stdout",
        "slowdown {} --csv /dev/fd/1",
    ],
)
def test_a_file_on_standard_output_that_nobody_reads_is_no_error(tmp_path, words):
    if words.startswith("sql"):
        pytest.importorskip("duckdb")
    recording = PROJECT_ROOT / "resources" / "recordings" / "ddp-8-virtual-lanes.arrow"
    # The pipe has no reader any more when the file is written.
    line = f"BUBBLESCOPE {words.format(recording)} | exec 0<&-"
    done = shell(line, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_without_standard_streams_succeeds_and_writes_into_no_file(tmp_path):
    record(specification(steps=2), tmp_path / "run.arrow")
    done = shell("BUBBLESCOPE summary run.arrow <&- >&- 2>&-", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    # Its table would go into the recording that is opened next, were descriptor 1 still free.
    tiny = "--devices 1xvirtual --width 8 --batch 4 --steps 1 --no-calibrate --verbose"
    done = shell(f"BUBBLESCOPE run {tiny} --record made.arrow >&-", tmp_path)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    whole = shell("BUBBLESCOPE summary made.arrow", tmp_path)
    assert (whole.returncode, whole.stderr) == (0, "")


@pytest.mark.parametrize("start", ["PYTHONSAFEPATH=1 BUBBLESCOPE", "python -P main.py"])
def test_a_search_path_without_the_scripts_folder_is_enough(tmp_path, start):
    start = start.replace("python -P main.py", PROGRAM.replace(" ", " -P ", 1))
    done = shell(f"{start} lesson", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
