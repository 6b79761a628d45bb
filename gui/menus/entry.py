"""An action as the tables list it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """An action: `slot` is the path of a method from the window, such as `timeline.fit`.

    `menu` may be a submenu, such as `View/Colour by`. `keys` may be several, joined by ` or `, or
    none. Of a `group` one is chosen at a time, and its slot is called with its `value`.
    """

    name: str
    menu: str
    text: str
    keys: str
    tip: str
    slot: str
    checkable: bool = False
    group: str = ""
    value: str = ""
