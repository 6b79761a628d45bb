"""`push` ends as a whole: an interrupted one leaves no program there."""

import os
import signal
import subprocess
import sys
import time

from core.paths import PROJECT_ROOT
from tests.processes import having, is_alive, wait_gone
from tests.sshd import write_script

SECONDS = 60
# Without the wheel, which takes seconds to build.
PUSH = """
import sys
from bubblescope.cli.pushing import install_script
from core.process.remote_programs import run_there
run_there("gpu", install_script(sys.argv[1], 5), b"wheel")
"""


def test_an_interrupted_push_ends_what_it_has_started_there(tmp_path):
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    home, begun = tmp_path / "home", tmp_path / "begun"
    home.mkdir()
    # In the place of ssh: the script is run by `sh` in a session of its own, as sshd runs it.
    script = 'for script; do :; done; exec setsid -w sh -c "$script"'
    write_script(tmp_path / "ssh", f'HOME="{home}"; {script}')
    # A Python that is new enough, and whose venv takes a while.
    venv = f'echo $$ > "{begun}.new"; mv "{begun}.new" "{begun}"; exec sleep 60'
    write_script(tmp_path / "python", f'[ "$1" = -c ] && exit 0; {venv}')
    push = subprocess.Popen(
        [sys.executable, "-c", PUSH, tmp_path / "python"],
        cwd=PROJECT_ROOT,
        env={
            **os.environ,
            **dict([mark.split("=")]),
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + SECONDS
    while not begun.exists():
        assert time.monotonic() < deadline and push.poll() is None, push.communicate()
        time.sleep(0.02)
    assert is_alive(int(begun.read_text()))
    push.send_signal(signal.SIGINT)
    push.communicate(timeout=SECONDS)
    wait_gone(having(mark))
    assert list((home / ".local" / "share" / "bubblescope").iterdir()) == []
