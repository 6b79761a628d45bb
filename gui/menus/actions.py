"""Everything that one can do, in one table: menus, toolbar, keys and the `?` sheet come from it.

The table is `resources/actions.json`: by menu and name the text, the keys, the slot, what it does,
and, where it can be checked, how. What the mouse does stands behind it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from core.paths import RESOURCES


@dataclass(frozen=True, slots=True)
class Entry:
    """An action: `slot` is the path of a method from the window, such as `timeline.fit`.

    Behind it may stand the way that the method is told, forward or back: `tabs.step(-1)`.
    `menu` may be a submenu, such as `View/Colour by`. `keys` may be several, joined by ` or `, or
    none. A `check` can be checked, and its slot is told whether it is. Of a submenu's choices one
    is checked at a time, and its slot is told which: the last word of its name.
    """

    menu: str
    name: str
    text: str
    keys: str
    slot: str
    tip: str
    checked: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether one of its submenu is chosen at a time."""
        return self.checked == "choice"

    @property
    def value(self) -> str:
        """What a choice's slot is called with."""
        return self.name.rpartition("_")[2]


_TABLE = json.loads((RESOURCES / "actions.json").read_text(encoding="utf-8"))
MOUSE: dict[str, str] = _TABLE.pop("mouse")
ENTRIES = tuple(
    Entry(menu, name, *row) for menu, rows in _TABLE.items() for name, row in rows.items()
)
MENUS = tuple(dict.fromkeys(entry.menu.partition("/")[0] for entry in ENTRIES))
