"""The window's language: its own texts and Qt's, from the system or as chosen."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from core.paths import RESOURCES

FOLDER = RESOURCES / "translations"
SOURCE = "en"
"""The language that texts are written in."""
FILES = {"zh": "zh_CN", "ko": "ko"}
"""The other languages, with what their files are called."""
OWN, QTS = "bubblescope", "qtbase"


def system_language() -> str:
    """The first of the user's languages that the window speaks, else English."""
    wished = [name.partition("-")[0] for name in QLocale.system().uiLanguages()]
    return next((name for name in wished if name == SOURCE or name in FILES), SOURCE)


def speak(app: QCoreApplication, chosen: str) -> None:
    """Have texts that are made from now on in a language; in the system's if none is `chosen`."""
    for before in app.findChildren(QTranslator):
        app.removeTranslator(before)
        before.setParent(None)
    file = FILES.get(chosen if chosen in (SOURCE, *FILES) else system_language())
    if file is None:
        return
    folders = {OWN: str(FOLDER), QTS: QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)}
    for name, folder in folders.items():
        translator = QTranslator(app)
        if translator.load(f"{name}_{file}", folder):
            app.installTranslator(translator)
