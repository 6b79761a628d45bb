"""The window's language: its own texts and Qt's, from the system or as chosen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from core.paths import RESOURCES

FOLDER = RESOURCES / "translations"
SOURCE = "en"
"""The language that texts are written in."""
FILES = {"zh": "zh_CN", "ko": "ko"}
"""The other languages, with what their files are called."""
OWN, QTS = "bubblescope", "qtbase"
SPOKEN = "spoken"
"""The property of the application that tells what the files of its language are called."""


def system_language() -> str:
    """The first of the user's languages that the window speaks, else English."""
    wished = [name.partition("-")[0] for name in QLocale.system().uiLanguages()]
    return next((name for name in wished if name == SOURCE or name in FILES), SOURCE)


def speak(app: QCoreApplication, chosen: str) -> None:
    """Have texts that are made from now on in a language; in the system's if none is `chosen`."""
    for before in app.findChildren(QTranslator):
        app.removeTranslator(before)
        # removeTranslator leaves it a child of the application, and the next call would find it
        # here.
        before.setParent(None)
    file = FILES.get(chosen if chosen in (SOURCE, *FILES) else system_language())
    app.setProperty(SPOKEN, file or SOURCE)
    if file is None:
        return
    folders = {OWN: str(FOLDER), QTS: QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)}
    for name, folder in folders.items():
        translator = QTranslator(app)
        if translator.load(f"{name}_{file}", folder):
            app.installTranslator(translator)


def spoken() -> str:
    """The language of the window as its files are called: en, zh_CN, ko."""
    app = QCoreApplication.instance()
    return str((app and app.property(SPOKEN)) or SOURCE)


def in_language(path: Path) -> Path:
    """A shipped file in the window's language, where a folder beside it holds one."""
    other = path.parent / spoken() / path.name
    return other if other.is_file() else path
