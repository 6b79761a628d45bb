"""The font of the window in languages whose characters the system's font may lack."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

WRITING = {
    "zh_CN": (QFontDatabase.WritingSystem.SimplifiedChinese, "SC"),
    "ko": (QFontDatabase.WritingSystem.Korean, "KR"),
}
"""Writing system of each locale, and the ending of the names of its fonts."""
_OWN = "own font"


def use_font_of(app: QApplication, locale: str | None) -> None:
    """Use a font that has all characters of a locale, or the system's font again.

    If the system's font lacks them, Qt draws them and the digits next to them with another font,
    but not the units. The parts of one number would then differ in weight and height.
    """
    own = app.property(_OWN)
    if own is None:
        own = app.font()
        app.setProperty(_OWN, own)
    font = QFont(own)
    if locale in WRITING:
        system, ending = WRITING[locale]
        families = QFontDatabase.families(system)
        if QFontInfo(own).family() not in families:
            font.setFamily(sans_serif(families, ending) or own.family())
    if app.font() != font:
        app.setFont(font)


def sans_serif(families: Sequence[str], ending: str) -> str:
    """Return a sans-serif family, preferably one whose name ends with `ending`, or ""."""
    found = [name for name in families if "Sans" in name and "Mono" not in name]
    of_locale = [name for name in found if name.endswith(ending)]
    return next(iter(of_locale + found), "")
