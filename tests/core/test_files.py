"""Files that are written whole or not at all, and what is no file."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.files import whole_file, whole_folder
from core.paths import PROJECT_ROOT
from core.process.child import environment
from tests.full_disk import full_disk


def test_a_file_is_there_when_it_is_whole_and_not_before(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a.txt") as place:
        place.write_text("whole")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "whole"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("before")
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "a.txt") as place:
        place.write_text("half")
        raise ZeroDivisionError
    assert (tmp_path / "a.txt").read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.txt").write_text("before")
    (tmp_path / "a.txt").symlink_to(tmp_path / "there" / "a.txt")
    with whole_file(tmp_path / "a.txt") as place:
        place.write_text("after")
    assert (tmp_path / "a.txt").is_symlink()
    assert (tmp_path / "there" / "a.txt").read_text() == "after"


def test_standard_output_is_written_to_wherever_it_leads(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("w") as output:
        before = (tmp_path / "a.txt").stat().st_ino
        with whole_file(f"/proc/self/fd/{output.fileno()}") as place:
            place.write_text("told")
    assert (tmp_path / "a.txt").read_text() == "told"
    assert (tmp_path / "a.txt").stat().st_ino == before


def test_a_pipe_is_written_to_once_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        with whole_file(tmp_path / "pipe") as place:
            place.write_text("told")
        assert read.result(30) == "told"
    assert (tmp_path / "pipe").is_fifo()


def test_a_named_pipe_whose_reader_ends_cannot_be_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with (
        pytest.raises(OSError, match="pipe cannot be written: Broken pipe") as told,
        whole_file(tmp_path / "pipe") as place,
        place.open("w") as file,
    ):
        os.close(reader)
        file.write("lost")
    assert not isinstance(told.value, BrokenPipeError)


def test_who_waits_for_the_reader_of_a_pipe_hears_an_interrupt(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "pipe"):
            pytest.fail("nobody reads the pipe")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_what_cannot_be_written_is_named_in_one_line(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"nowhere/a\.txt cannot be written: No such file") as told,
        whole_file(tmp_path / "nowhere" / "a.txt") as place,
    ):
        place.write_text("lost")
    assert "\n" not in str(told.value)


def test_two_writers_of_one_file_do_not_share_a_name_and_the_last_one_stands(
    tmp_path: Path,
) -> None:
    with whole_file(tmp_path / "a.txt") as one, whole_file(tmp_path / "a.txt") as other:
        one.write_text("one")
        other.write_text("other")
    assert (tmp_path / "a.txt").read_text() == "one"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_link_in_the_way_of_the_part_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.urandom", lambda count: b"seen")
    (tmp_path / "precious").write_text("kept")
    with whole_file(tmp_path / "a.txt") as place:
        name = place.name
    (tmp_path / name).symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="cannot be written"), whole_file(tmp_path / "a.txt") as place:
        place.write_text("lost")
    assert (tmp_path / "precious").read_text() == "kept"


def test_a_new_file_has_the_rights_that_new_files_have(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with whole_file(tmp_path / "a.txt") as place:
            place.write_text("whole")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_name_as_long_as_names_may_be_and_one_that_is_not_utf_8_can_be_written(
    tmp_path: Path,
) -> None:
    for name in ("x" * 251 + ".txt", "caf\udce9.txt"):
        with whole_file(tmp_path / name) as place:
            place.write_text("whole")
        assert (tmp_path / name).read_text() == "whole"


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("before")
    with (
        pytest.raises(OSError, match=r"a\.txt cannot be written: File too large"),
        full_disk(),
        whole_file(tmp_path / "a.txt") as place,
    ):
        place.write_text("x" * 1000)
    assert (tmp_path / "a.txt").read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


LEAVES = """
import os, sys
from core.files import whole_file, whole_folder
from core.paths import PROJECT_ROOT
from core.process.child import environment
with whole_folder("made") as place:
    (place / "inside").mkdir()
    (place / "inside" / "a.txt").write_text("half")
    (place / "link").symlink_to("../precious")
    with whole_file("a.txt") as file:
        file.write_text("half")
        print("writing", flush=True)
        sys.stdin.read()
        os._exit(1)
"""


def test_only_what_a_dead_process_has_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "a.txt").write_text("kept")
    command = [sys.executable, "-c", LEAVES]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(PROJECT_ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"writing\n"
        parts = {name for name in os.listdir(tmp_path) if name.endswith(".part")}
        with whole_file(tmp_path / "b.txt") as place:
            place.write_text("whole")
        assert set(os.listdir(tmp_path)) == {*parts, "precious", "b.txt"}
        other.communicate()
    with whole_folder(tmp_path / "made") as place:
        assert set(os.listdir(tmp_path)) == {place.name, "precious", "b.txt"}
    assert set(os.listdir(tmp_path)) == {"made", "precious", "b.txt"}
    assert os.listdir(tmp_path / "precious") == ["a.txt"]


def test_what_only_looks_like_a_file_that_was_left_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f".bubblescope-{'0' * 16}.part")
    (tmp_path / f".bubblescope-{'1' * 16}.part").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".bubblescope-notes.part").write_text("kept")
    before = set(os.listdir(tmp_path))
    with whole_file(tmp_path / "a.txt") as place:
        place.write_text("whole")
    assert set(os.listdir(tmp_path)) == {*before, "a.txt"}


def export_to(name: str, folder: Path) -> str:
    """The error of an export of a recording that does not exist: outputs are checked first.

    The command runs without the right of root to write in every folder.
    """
    command = [sys.executable, str(PROJECT_ROOT / "main.py"), "export", "none.arrow"]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    done = subprocess.run(
        [*command, "--table", name],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    return done.stderr


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file, in which no other file can be made."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere")
    folder = tmp_path / "readonly"
    folder.mkdir()
    (folder / "kept.csv").write_text("kept")
    (folder / "out.csv").symlink_to(tmp_path / "out.csv")
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def test_a_file_whose_folder_is_not_writable_is_refused_before_the_work(
    tmp_path: Path, read_only: Path
) -> None:
    error = export_to("readonly/kept.csv", tmp_path)
    assert f"--table readonly/kept.csv: {read_only} is not writable" in error


def test_a_link_is_checked_where_its_file_would_be(tmp_path: Path, read_only: Path) -> None:
    (tmp_path / "closed.csv").symlink_to(read_only / "new.csv")
    (tmp_path / "lost.csv").symlink_to(tmp_path / "nowhere" / "new.csv")
    assert f"{read_only} is not writable" in export_to("closed.csv", tmp_path)
    assert f"there is no folder {tmp_path / 'nowhere'}" in export_to("lost.csv", tmp_path)
    # The link's own folder need not be writable.
    assert "none.arrow" in export_to("readonly/out.csv", tmp_path)
