"""A real sshd on the loopback interface, with keys, configuration and a home of its own."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.paths import PROJECT_ROOT

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
MISSING = "needs sshd and ssh (Debian: openssh-server)"
SSH = shutil.which("ssh")
HAS_SSHD = SSHD is not None and SSH is not None
SECONDS = 20
SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv {variables}
"""
CLIENT = """\
Host loopback
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/key
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {folder}/known_hosts
  StrictHostKeyChecking yes
"""
HOST = "loopback"
"""Name of the host in the configuration of ssh."""


@dataclass(frozen=True, slots=True)
class Sshd:
    """A running sshd. `home` is the home folder of its sessions, `path` has an `ssh` that knows it.

    `home/bin` is the first folder of the PATH there.
    """

    process: subprocess.Popen[bytes]
    folder: Path
    home: Path
    path: str
    port: int

    def install(self) -> None:
        """Put a command `bubblescope` there, which runs this checkout."""
        main = PROJECT_ROOT / "main.py"
        write_script(self.home / "bin" / "bubblescope", f'exec "{sys.executable}" "{main}" "$@"')

    def put_options(self, *options: str) -> None:
        """Give ssh further options; they win over all others, because ssh takes the first ones."""
        words = shlex.join([str(SSH), "-F", f"{self.folder}/ssh_config", *options])
        write_script(self.folder / "here" / "ssh", f'exec {words} "$@"')

    def uninstall(self) -> None:
        """Remove what `install` has put there."""
        (self.home / "bin" / "bubblescope").unlink(missing_ok=True)


def write_script(path: Path, line: str) -> None:
    """Write a script of one line for `sh`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@contextmanager
def serving(
    folder: Path, variables: Mapping[str, str] | None = None, client_line: str = ""
) -> Iterator[Sshd]:
    """Start an sshd whose files are in a folder; `variables` are set in its sessions.

    `client_line` is added to the configuration of ssh.
    """
    assert SSHD is not None
    port = _free_port()
    for name in ("host_key", "key"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name]
        subprocess.run(words, check=True)
    home = folder / "home"
    (home / "bin").mkdir(parents=True)
    path = f"{home / 'bin'}:/usr/local/bin:/usr/bin:/bin"
    given = {"HOME": str(home), "PATH": path, **(variables or {})}
    settings = " ".join(f'"{name}={value}"' for name, value in given.items())
    server = SERVER.format(port=port, folder=folder, variables=settings)
    (folder / "sshd_config").write_text(server)
    client = CLIENT.format(port=port, folder=folder, user=getpass.getuser())
    (folder / "ssh_config").write_text(f"{client}  {client_line}\n")
    host_key = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    if os.geteuid() == 0:  # its privilege separation wants the folder
        Path("/run/sshd").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", folder / "sshd_config"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_open(port)
        here = f"{folder / 'here'}{os.pathsep}{os.environ['PATH']}"
        served = Sshd(process, folder, home, here, port)
        served.put_options()
        yield served
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_open(port: int) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=SECONDS).close()
        except OSError:
            assert time.monotonic() < deadline, "sshd does not listen"
            time.sleep(0.02)
        else:
            return
