import pytest
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

from gui.look import fonts
from gui.look.fonts import sans_serif, use_font_of


def test_a_sans_serif_font_of_the_locale_is_preferred() -> None:
    families = ["Serif KR", "Noto Sans Mono KR", "Noto Sans SC", "Noto Sans KR"]
    assert sans_serif(families, "KR") == "Noto Sans KR"
    assert sans_serif(families[:3], "KR") == "Noto Sans SC"
    assert sans_serif(families[:2], "KR") == ""


def test_a_language_whose_characters_the_font_lacks_gets_one_that_has_them(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = qapp.font()
    other = next(name for name in QFontDatabase.families() if name != QFontInfo(own).family())
    monkeypatch.setattr(fonts, "sans_serif", lambda families, ending: other)
    monkeypatch.setattr(QFontDatabase, "families", lambda *_: [other])
    use_font_of(qapp, "ko")
    assert QFont(qapp.font()).family() == other
    use_font_of(qapp, None)
    assert qapp.font() == own
