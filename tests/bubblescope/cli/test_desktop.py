"""The menu entry starts this installation, whatever the folder is called that it is in."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bubblescope.cli.desktop import install_desktop, quoted_word

ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
NASTY = 'a b\t%f %% "q" \'`$x;#&|<>*?~()\\ \\\\ =é\n[x]'


def words_of(line):
    """The arguments of an Exec line, read as freedesktop.org's specification has it."""
    text = re.sub(r"\\(.)", lambda found: ESCAPES[found[1]], line)
    words, rest = [], text
    while rest := rest.lstrip(" "):
        if rest.startswith('"'):
            found = re.match(r'"((?:[^"\\`$]|\\["`$\\])*)"(?= |$)', rest, re.S)
            word = re.sub(r"\\(.)", r"\1", found[1], flags=re.S)
        else:
            # What is reserved may stand within quotes alone.
            found = re.match(r"[^ \t\n\"'\\><~|&;$*?#()`]+(?= |$)", rest)
            word = found[0]
        assert not re.search(r"(?<!%)(?:%%)*%(?!%)", word), "a field code"
        words.append(word.replace("%%", "%"))
        rest = rest[found.end() :]
    return words


@given(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1))
def test_a_word_of_any_characters_survives_the_round_trip(word):
    assert words_of(quoted_word(word)) == [word]
    assert "\n" not in quoted_word(word) and "\r" not in quoted_word(word)


def test_the_entry_starts_the_command_next_to_the_interpreter(tmp_path, monkeypatch):
    folder = tmp_path / NASTY
    folder.mkdir()
    (folder / "bubblescope").touch()
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    _, entry = install_desktop()
    lines = entry.read_text().splitlines()
    assert lines[0] == "[Desktop Entry]" and len(lines) == 9
    (line,) = (line for line in lines if line.startswith("Exec="))
    assert words_of(line.removeprefix("Exec=")) == [str(folder / "bubblescope")]


def test_a_folder_whose_name_is_no_text_is_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/caf\udce9/python")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(ValueError, match=r"^--install-desktop: .*/opt/caf.* is not UTF-8"):
        install_desktop()
    assert list(tmp_path.iterdir()) == []
