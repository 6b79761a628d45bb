"""`override` of `typing`, which Python 3.11 does not have yet.

It marks methods whose base class documents them. mypy checks that the base class has the method;
at run time the decorator does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing_extensions import override as override
else:
    _Method = TypeVar("_Method")

    def override(method: _Method) -> _Method:
        """Return the method."""
        return method
