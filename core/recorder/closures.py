"""Watches the closures of optimizers, which compute the loss and its gradients within an update.

LBFGS calls its closure several times. Lightning trains in closures: its optimizers call theirs
once, before the update does anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .guard import Guard

UpdateArguments = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and keyword arguments of an optimizer's `step`; the first is the optimizer."""
Closure = Callable[[], Any]


def with_watched_closure(
    arguments: tuple[Any, ...], options: dict[str, Any], watched: Callable[[Closure], Closure]
) -> UpdateArguments | None:
    """Return the arguments with the closure wrapped by `watched`; None if there is no closure."""
    closure = options.get("closure")
    if callable(closure):
        return arguments, {**options, "closure": watched(closure)}
    if len(arguments) > 1 and callable(arguments[1]):
        optimizer, closure, *rest = arguments
        return (optimizer, watched(closure), *rest), options
    return None


def watched_closure(
    closure: Closure, guard: Guard, before: Callable[[], None], after: Callable[[], None]
) -> Closure:
    """Return a closure that calls `before` and `after` around the given one."""

    def watched() -> Any:
        guard(before)
        try:
            return closure()
        finally:
            guard(after)

    return watched
