"""Programs on another machine, through the system's `ssh`.

Agent, configuration, jump hosts and known hosts are left to ssh. It never asks a question, because
the window has no terminal for it and the command line's is busy: a host is usable here if
`ssh HOST true` works without one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from core.errors import PlanError
from core.message import message

SSH = "ssh"
OPTIONS = (
    "-T",  # no terminal, which would change bytes
    "-oBatchMode=yes",  # no questions
    # A shared connection that was started here would outlive its first use.
    "-oControlMaster=no",
    # Ends a connection that has been silent for 45 s, because a lost network reports no error.
    "-oServerAliveInterval=15",
    "-oServerAliveCountMax=3",
)
SSH_FAILED = 255
"""Exit status of ssh for its own errors."""
MOST_CHARACTERS = 255
# The name is an argument of ssh, and ssh puts it into commands of its configuration. So it has
# no characters that are special for ssh or a shell, and does not begin with a dash.
_HOST = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*@)?[A-Za-z0-9_:][A-Za-z0-9_.:-]*", re.ASCII)


def checked_host(option: str, host: str) -> str:
    """Return a host's name if it is safe for ssh. Raises PlanError, naming the option, if not."""
    if _HOST.fullmatch(host) and len(host) <= MOST_CHARACTERS:
        return host
    raise PlanError(
        message(
            "{option} {host!r:.80}: use USER@HOST, or a name of your ssh configuration, with only "
            "letters, digits and . _ : -",
            option=option,
            host=host,
        )
    )


def ssh_words(host: str, script: str, options: Sequence[str] = ()) -> list[str]:
    """Return the command that runs a script of `sh` on a host, with further options of ssh.

    The login shell there, which may be of any kind, only starts `sh`. `host` must be checked.
    """
    # In single quotes no shell expands anything, except that csh still expands `!`.
    return [SSH, *OPTIONS, *options, "--", host, f"exec sh -c {shlex.quote(script)}"]
