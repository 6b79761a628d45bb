"""Everything that the documents name exists: files, commands, targets, strategies, pictures."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bubblescope.cli.arguments import make_parser
from core.plan.schedules import SCHEDULES
from core.plan.strategies import STRATEGIES
from core.recording.formats import TRACE_FORMATS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
ABOUT = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
TOPS = ("core", "gui", "tests", "resources", "docs", "bubblescope")
MOST_LINES = 150  # of README
MOST_FILES, MOST_TYPES = 40, 75  # on a span's way from plan to pixel
OWN = ("NAME", "LOCALE", "lifo", "accumulate")
"""Placeholders for the names of a reader's files."""


def generator():
    """The module that makes the tables."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(text: str) -> list[list[str]]:
    """The calls of `bubblescope` and `python main.py` in a page, without the first word."""
    joined = text.replace("\\\n", " ")
    lines = re.findall(r"^ {4,}(?:bubblescope|python main\.py)( .*)$", joined, re.MULTILINE)
    inline = re.findall(r"`(?:bubblescope|python main\.py)( [^`]*)`", joined)
    said = [shlex.split(line) for line in [*lines, *inline]]
    return [words for words in said if "..." not in words and "COMMAND" not in words]


@ABOUT
def test_every_file_and_folder_that_a_page_names_is_there(page):
    named = re.findall(rf"`((?:{'|'.join(TOPS)})/[^\s`{{}}]*)`", page.read_text())
    own = [path for path in named if not any(word in path for word in OWN)]
    assert [path for path in own if not any(ROOT.glob(path.rstrip("/")))] == []


@ABOUT
def test_every_relative_link_and_picture_of_a_page_is_there(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@ABOUT
def test_every_make_target_that_a_page_names_is_there(page):
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"(?:`|^ {4})make (?:-k )?(\w+)", page.read_text(), re.MULTILINE)
    assert [name for name in named if name not in targets] == []


@ABOUT
def test_the_parser_takes_every_command_of_a_page(page):
    for words in commands(page.read_text()):
        try:
            make_parser().parse_args(words)
        except SystemExit as ended:
            assert ended.code == 0, f"{page.name}: bubblescope {shlex.join(words)}"


@pytest.mark.parametrize("name", [*STRATEGIES, *SCHEDULES])
def test_the_page_of_strategies_has_a_line_for_each_strategy_and_schedule(name):
    assert f"\n| `{name}` |" in (ROOT / "docs" / "strategies.md").read_text()


def test_the_page_of_commands_has_every_command_and_option():
    parts = re.split(r"^## ", generator().commands(), flags=re.MULTILINE)
    sections = {part.partition("\n")[0]: part for part in parts}
    for name, command, _ in generator().subcommands(make_parser()):
        for action in command._actions:
            wanted = [o for o in action.option_strings if o not in ("-h", "--help")]
            assert all(f"`{option}" in sections[name] for option in wanted)


def test_the_page_of_recordings_has_every_format_with_all_that_is_said_of_it():
    assert "<!-- generated: formats -->" in (ROOT / "docs" / "recording.md").read_text()
    rows = generator().formats().splitlines()[2:]
    said = [row for format_ in TRACE_FORMATS for row in (format_, *format_.dialects)]
    assert len(rows) == len(said)
    for row, each in zip(rows, said, strict=True):
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert len(cells) == 5 and all(cells)
        assert cells[0] == each.title and cells[2:] == [
            each.recognised_by,
            each.read_as,
            each.not_read,
        ]


def test_the_readme_is_short_and_links_to_every_page():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < MOST_LINES
    assert all(f"(docs/{page.name})" in text for page in PAGES if page.parent == ROOT / "docs")


def test_the_site_is_built_and_names_nothing_of_the_network(tmp_path):
    pytest.importorskip("mkdocs")
    pytest.importorskip("material")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    pages = {path.name: path.read_text() for path in tmp_path.glob("*.html")}
    assert "--greyscale" in pages["commands.html"]
    assert not [name for name, text in pages.items() if "generated:" in text]
    shown = {name for text in pages.values() for name in re.findall(r'"(pictures/[^"]+)"', text)}
    assert {"pictures/first-page.png", "pictures/dp.gif"} <= shown
    assert [name for name in sorted(shown) if not (tmp_path / name).is_file()] == []


def test_the_way_from_plan_to_pixel_names_files_that_are_there_and_stays_short():
    made = generator()
    way, kinds = made.WAY, sum(len(made.types(path)) for path in made.WAY)
    assert all((ROOT / path).is_file() and made.about(path) for path in way)
    assert len(way) == len(set(way)) <= MOST_FILES, "a reader opens more files than before"
    assert kinds <= MOST_TYPES, "a reader holds more types than before"
