"""Watches the closures of optimizers, which compute the loss and its gradients within an update.

LBFGS calls its closure several times. Lightning trains in closures: its optimizers call theirs
once, before the update does anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import Any, TypeGuard

from .guard import Guard

UpdateArguments = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and keyword arguments of an optimizer's `step`; the first is the optimizer."""
Closure = Callable[..., Any]


def with_watched_closure(
    arguments: tuple[Any, ...], options: dict[str, Any], watched: Callable[[Closure], Closure]
) -> UpdateArguments | None:
    """Return the arguments with the closure wrapped by `watched`; None if there is no closure."""
    closure = options.get("closure")
    if _is_closure(closure):
        return arguments, {**options, "closure": watched(closure)}
    if len(arguments) > 1 and _is_closure(arguments[1]):
        optimizer, closure, *rest = arguments
        return (optimizer, watched(closure), *rest), options
    return None


def _is_closure(given: object) -> TypeGuard[Closure]:
    """Return True for a function.

    Other callable objects, such as a model, are left alone: an optimizer may use their attributes.
    """
    return isinstance(given, FunctionType | MethodType | partial)


def watched_closure(
    closure: Closure, guard: Guard, before: Callable[[], None], after: Callable[[], None]
) -> Closure:
    """Return a closure that calls `before` and `after` around the given one."""

    @wraps(closure)
    def watched(*arguments: Any, **options: Any) -> Any:
        guard(before)
        try:
            return closure(*arguments, **options)
        finally:
            guard(after)

    return watched
