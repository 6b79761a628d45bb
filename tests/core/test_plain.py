import pytest

from core.plain import (
    MOST_LETTERS,
    cell,
    duration_text,
    error_text,
    plain,
    plain_lines,
    plain_markup,
    size_text,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cpu:0 → µs, 3 × 4\u00a0ms 日本", "cpu:0 → µs, 3 × 4\u00a0ms 日本"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("two\nlines\r", r"two\nlines\r"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("\x9b31m\u2028", r"\x9b31m\u2028"),
        ("caf\udce9", r"caf\udce9"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_what_steers_a_terminal_is_escaped_and_all_else_is_as_it_was(text, shown):
    assert plain(text) == shown


def test_lines_stay_lines_where_they_are_meant():
    assert plain_lines("a\x07\nb") == "a\\x07\nb"


@pytest.mark.parametrize("value", ["x" * 5000, "x y " * 1250, "\n" * 5000])
def test_a_long_error_keeps_its_option_and_what_is_accepted(value):
    text = error_text(ValueError(f"--devices {value}: use auto or 2xcpu"))
    assert text.startswith("--devices ") and text.endswith(": use auto or 2xcpu")
    assert len(text) < 2 * MOST_LETTERS and "\n" not in text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FileExistsError(17, "File exists", "runs"), "runs: File exists"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("a.png cannot be written: No space"), "a.png cannot be written: No space"),
    ],
)
def test_an_error_of_the_system_has_its_file_and_words_and_no_number(error, text):
    assert error_text(error) == text


def test_an_error_that_quotes_nothing_long_is_told_whole():
    text = f"/tmp/{'folder/' * 20}run.arrow is damaged: its lane 9 is not there"
    assert error_text(text) == text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_cell_that_begins_as_a_formula_is_quoted(text):
    assert cell(text) == f"'{text}"
    assert cell("cpu:0") == "cpu:0"


def test_a_page_keeps_its_lines_and_loses_what_steers():
    assert plain_markup("<p>\n\ta\x1b\u202eb</p>\r\n") == "<p>\n\ta\ufffd\ufffdb</p>\r\n"


@pytest.mark.parametrize(
    ("ns", "text"),
    [(85_000, "85 µs"), (99_996, "100 µs"), (41.23e6, "41.2 ms"), (999.4e6, "999 ms"),
     (999.6e6, "1 s"), (-999.6e6, "-1 s"), (1234.4e6, "1.23 s")],
)  # fmt: skip
def test_a_duration_is_never_written_with_an_exponent(ns: float, text: str) -> None:
    assert duration_text(ns) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (999.6e6, "1000 MB"), (2e9, "2 GB")],
)
def test_bytes_are_written_in_decimal_units(count: float, text: str) -> None:
    assert size_text(count) == text
