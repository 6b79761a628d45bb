import pytest
from PySide6.QtWidgets import QApplication

from gui.app.language import speak
from gui.look.text import change_text, join_clauses


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.043, "+4.3"), (-0.043, "−4.3"), (-0.0004, "0.0"), (0.0004, "0.0")]
)
def test_a_change_that_rounds_to_zero_has_no_sign(fraction: float, text: str) -> None:
    assert change_text(fraction) == f"{text}\u00a0%"


def test_clauses_are_separated_as_in_the_windows_language(qapp: QApplication) -> None:
    assert join_clauses(["one", "two"]) == "one; two"
    speak(qapp, "zh")
    try:
        assert join_clauses(["one", "two"]) == "one；two"
    finally:
        speak(qapp, "en")
