"""The window's language, for its texts and Qt's: the system's, or the user's choice."""

from __future__ import annotations

from gettext import NullTranslations
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from gui.look.catalogue import load_catalogue, use_catalogue
from gui.look.fonts import use_font_of

SOURCE = "en"
"""The language of the texts in the code."""
LOCALES = {"zh": "zh_CN", "ko": "ko"}
"""Locales of the other languages; folders in resources/translations have these names."""
SPOKEN = "spoken"
"""The property of the application that holds the locale in use."""


def system_language() -> str:
    """Return the first of the user's languages that the window is translated to, else English."""
    wished = [name.partition("-")[0] for name in QLocale.system().uiLanguages()]
    return next((name for name in wished if name == SOURCE or name in LOCALES), SOURCE)


def speak(app: QCoreApplication, chosen: str) -> None:
    """Use a language for texts from now on; if it is not available, the system's."""
    for before in app.findChildren(QTranslator):
        app.removeTranslator(before)
        # removeTranslator does not change the parent, and the next call would find it again.
        before.setParent(None)
    locale = LOCALES.get(chosen if chosen in (SOURCE, *LOCALES) else system_language())
    app.setProperty(SPOKEN, locale or SOURCE)
    use_catalogue(load_catalogue(locale) if locale else NullTranslations())
    if isinstance(app, QApplication):
        use_font_of(app, locale)
    if locale is None:
        return
    # The texts of Qt's dialogs.
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(f"qtbase_{locale}", folder):
        app.installTranslator(translator)


def spoken() -> str:
    """Return the locale of the window: en, zh_CN or ko."""
    app = QCoreApplication.instance()
    return str((app and app.property(SPOKEN)) or SOURCE)


def in_language(path: Path) -> Path:
    """Return the translation of a shipped file, from the locale's folder, if there is one."""
    other = path.parent / spoken() / path.name
    return other if other.is_file() else path
