"""The window's language: its own texts and Qt's, from the system or as chosen."""

from __future__ import annotations

from gettext import NullTranslations
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from gui.look.catalogue import load_catalogue, use_catalogue

SOURCE = "en"
"""The language that texts are written in."""
LOCALES = {"zh": "zh_CN", "ko": "ko"}
"""The locales of the other languages, which name folders in resources/translations."""
SPOKEN = "spoken"
"""The property of the application that holds the locale in use."""


def system_language() -> str:
    """The first of the user's languages that the window speaks, else English."""
    wished = [name.partition("-")[0] for name in QLocale.system().uiLanguages()]
    return next((name for name in wished if name == SOURCE or name in LOCALES), SOURCE)


def speak(app: QCoreApplication, chosen: str) -> None:
    """Show texts that are made from now on in a language; in the system's if none is `chosen`."""
    for before in app.findChildren(QTranslator):
        app.removeTranslator(before)
        # removeTranslator leaves it a child of the application, and the next call would find it
        # here.
        before.setParent(None)
    locale = LOCALES.get(chosen if chosen in (SOURCE, *LOCALES) else system_language())
    app.setProperty(SPOKEN, locale or SOURCE)
    use_catalogue(load_catalogue(locale) if locale else NullTranslations())
    if locale is None:
        return
    # The texts of Qt's own dialogs.
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(f"qtbase_{locale}", folder):
        app.installTranslator(translator)


def spoken() -> str:
    """Return the locale of the window: en, zh_CN or ko."""
    app = QCoreApplication.instance()
    return str((app and app.property(SPOKEN)) or SOURCE)


def in_language(path: Path) -> Path:
    """A shipped file in the window's language, where a folder beside it holds one."""
    other = path.parent / spoken() / path.name
    return other if other.is_file() else path
