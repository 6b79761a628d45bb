"""Makes the window open sooner. Import it first: it changes the imports that follow."""

from __future__ import annotations

import dataclasses
import gc
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import PySide6.QtCore  # noqa: F401 - loads the module that `begin` looks up

LATE = ("pyarrow", "hashlib")
"""Libraries that are loaded at the first access to one of their attributes, or by `end`."""
_dataclasses: Any = dataclasses
_compile_now: Callable[..., Any] | None = getattr(dataclasses, "_create_fn", None)


def begin() -> None:
    """Defer work that the first paint does not need; this nearly halves the time to it.

    - Garbage collection would find nothing, because everything in a new window is in use.
    - PySide searches the source of every imported module for `__feature__`, which is not used here.
    - A third of the time for importing the app's modules is for compiling the methods of
      dataclasses. Most of them are not called before the first paint, or ever.
    """
    gc.disable()
    feature: Any = sys.modules.get("shibokensupport.feature")
    # These two are private, so they may be missing in other versions.
    if feature is not None and hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda module: False
    if _compile_now is not None:
        _dataclasses._create_fn = _compiled_on_first_call
    for name in LATE:
        if name not in sys.modules:
            _load_on_access(name)


def end() -> None:
    """Stop deferring; turn garbage collection on again, except for the objects made so far."""
    if _compile_now is not None:
        _dataclasses._create_fn = _compile_now
    # Loaded now, because later another thread might use a module that is half loaded.
    for name in LATE:
        module = sys.modules[name]
        if isinstance(module, _LateModule):
            module.load()
    gc.freeze()
    gc.enable()


def _compiled_on_first_call(name: str, *given: Any, **named: Any) -> Callable[..., Any]:
    """Return a stand-in for a dataclass's method, which compiles and installs it when called."""

    def method(self: object, *arguments: object, **keywords: object) -> object:
        assert _compile_now is not None
        compiled = _compile_now(name, *given, **named)
        compiled.__qualname__ = method.__qualname__
        for owner in type(self).__mro__:
            if vars(owner).get(name) is method:
                setattr(owner, name, compiled)
        return compiled(self, *arguments, **keywords)

    method.__name__ = name
    return method


class _LateModule(ModuleType):
    """A module that is executed at the first access to an attribute that it does not have yet.

    `importlib.util.LazyLoader` would execute it at the second `import` already.
    """

    def load(self) -> None:
        """Execute the module, and make it an ordinary module."""
        self.__class__ = ModuleType  # type: ignore[assignment]
        assert self.__spec__ is not None and self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)

    def __getattr__(self, name: str) -> object:
        self.load()
        return getattr(self, name)


def _load_on_access(name: str) -> None:
    found = importlib.util.find_spec(name)
    assert found is not None
    module = importlib.util.module_from_spec(found)
    module.__class__ = _LateModule
    sys.modules[name] = module
