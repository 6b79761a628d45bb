"""Messages for a torch that is installed but cannot be imported. Does not import torch itself."""

from __future__ import annotations

import re

from core.plain import error_text

# The last line of a traceback that went through torch's own module, as Python prints it.
_RAISED = re.compile(
    r'torch/__init__\.py", line \d+, in <module>\n(?:[ \t].*\n)*(\w+(?:: .*)?)', re.MULTILINE
)


def without_torch(raised: str) -> str:
    """Return one line with a remedy, for an error of the import such as `ImportError: no file`."""
    remedy = "install it again: pip install --force-reinstall torch"
    return error_text(f"torch cannot be imported ({raised}); {remedy}")


def found_without_torch(printed: str) -> str:
    """Return the line for the output of a program; "" if it did not fail to import torch."""
    found = _RAISED.search(printed)
    return without_torch(found[1].strip()) if found is not None else ""
