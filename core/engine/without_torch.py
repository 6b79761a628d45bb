"""Messages for a torch that is installed but cannot be imported. Does not import torch itself."""

from __future__ import annotations

import re

from core.message import Text, message
from core.plain import plain_message

# The last line of a traceback that went through torch's own module, as Python prints it.
_RAISED = re.compile(
    r'torch/__init__\.py", line \d+, in <module>\n(?:[ \t].*\n)*(\w+(?:: .*)?)', re.MULTILINE
)


def without_torch(raised: str) -> Text:
    """Return one line with a remedy, given an import error such as `ImportError: no file`."""
    text = message(
        "torch cannot be imported ({raised}); install it again: "
        "pip install --force-reinstall torch",
        raised=raised,
    )
    return plain_message(text)


def found_without_torch(printed: str) -> Text:
    """Return that line, given a program's output; "" if the program did not fail on torch."""
    found = _RAISED.search(printed)
    if found is None:
        return ""
    return without_torch(found[1].strip())
