"""The gettext catalogue that translates texts on screen."""

from __future__ import annotations

from gettext import NullTranslations, translation

from core.paths import RESOURCES

FOLDER = RESOURCES / "translations"
DOMAIN = "bubblescope"

_catalogue = NullTranslations()


def catalogue() -> NullTranslations:
    """Return the catalogue in use; one without translations returns every text in English."""
    return _catalogue


def use_catalogue(chosen: NullTranslations) -> None:
    """Translate texts with this catalogue from now on."""
    global _catalogue
    _catalogue = chosen


def load_catalogue(locale: str) -> NullTranslations:
    """Return the catalogue of a locale such as `zh_CN`; raise FileNotFoundError without one."""
    return translation(DOMAIN, FOLDER, [locale])
