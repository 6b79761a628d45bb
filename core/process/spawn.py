"""How a child process is started."""

from __future__ import annotations

import os

from core.paths import PROJECT_ROOT


def environment() -> dict[str, str]:
    """This process's environment, in which the house's modules are found from any folder."""
    paths = filter(None, [str(PROJECT_ROOT), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
