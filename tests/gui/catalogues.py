"""The catalogues of the window's texts, and the texts that Babel extracts from the sources."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from babel.messages.catalog import Catalog, Message
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po

from core.paths import PROJECT_ROOT
from gui.look.catalogue import DOMAIN, FOLDER


def po_file(locale: str) -> Path:
    """Return the path of a locale's catalogue."""
    return FOLDER / locale / "LC_MESSAGES" / f"{DOMAIN}.po"


def read_catalogue(locale: str) -> Catalog:
    """Return a locale's catalogue."""
    with po_file(locale).open("rb") as file:
        return read_po(file, locale)


def translations(message: Message) -> tuple[str, ...]:
    """Return the translations of a message: one, or one for each plural form."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def extracted() -> Catalog:
    """Return every text of the sources, extracted as `make messages-extract` does."""
    with TemporaryDirectory() as folder:
        template = Path(folder) / "messages.pot"
        mapping = PROJECT_ROOT / "pyproject.toml"
        command = ["pybabel", "--quiet", "extract", "--mapping", str(mapping)]
        CommandLineInterface().run([*command, "--output", str(template), str(PROJECT_ROOT)])
        with template.open("rb") as file:
            return read_po(file)
