"""MkDocs hook that fills the docs with tables made from the code, and with pictures.

See mkdocs.yml. `<!-- generated: NAME -->` in a page is replaced by a table of `GENERATED`. Because
the tables are in no file, they cannot be out of date. Pictures are copied from
`resources/screenshots`, where README uses them too.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bubblescope.cli.arguments import make_parser
from bubblescope.cli.examples import EXAMPLES
from bubblescope.cli.option_arguments import options_table
from core.board.puzzle import read_puzzle, shipped_puzzles
from core.explain.causes import CAUSES, Cause
from core.models.catalogue import MODELS
from core.option import flag_of
from core.plan.devices import KINDS
from core.plan.schedules import SCHEDULES
from core.plan.strategies import STRATEGIES
from core.recording.formats import TRACE_FORMATS

if TYPE_CHECKING:  # the tables are made and tested without MkDocs too
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PICTURES = "resources/screenshots"
WAY = (
    "core/plan/strategies/dp.py",
    "core/plan/splits.py",
    "core/plan/division.py",
    "core/plan/task.py",
    "core/plan/plan.py",
    "core/plan/planning.py",
    "core/engine/server.py",
    "core/engine/prepare.py",
    "core/engine/tasks/steps.py",
    "core/engine/tasks/executor.py",
    "core/engine/tasks/replicas.py",
    "core/engine/tasks/operations.py",
    "core/engine/tasks/values.py",
    "core/engine/models/stage_module.py",
    "core/engine/lanes/lane.py",
    "core/engine/lanes/devices.py",
    "core/recording/schema.py",
    "core/recorder/stream.py",
    "core/engine/messages.py",
    "core/process/child.py",
    "core/engine/client.py",
    "gui/app/session.py",
    "gui/app/run.py",
    "core/recording/decode.py",
    "core/trace/trace.py",
    "core/trace/spans.py",
    "core/trace/columns.py",
    "gui/app/live_figures.py",
    "gui/timeline/state/timeline.py",
    "gui/timeline/state/scene.py",
    "gui/timeline/state/lane_stack.py",
    "gui/timeline/layout/stacking.py",
    "gui/timeline/layout/frame.py",
    "gui/timeline/interact/view.py",
    "gui/timeline/paint/picture.py",
    "gui/timeline/reduce/reduction.py",
    "gui/look/families.py",
    "gui/timeline/state/bar_looks.py",
    "gui/timeline/paint/boxes.py",
    "gui/timeline/paint/pixels.py",
)
"""The files that a forward task of `dp` passes, from the line that plans it to its bar."""
_PLACE = re.compile(r"<!-- generated: ([\w-]+) -->")
_FROM_NETWORK = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b[^>]*\bhref=["']?(?:https?:)?//"""
)


def commands() -> str:
    """Return every command with its help and options, from the parser's structure."""
    parser = make_parser()
    parts = ["## Without a command", "", _table(_rows(parser)), ""]
    for name, command, line in subcommands(parser):
        parts += [f"## {name}", "", f"{line[:1].upper()}{line[1:]}.", ""]
        usage = " ".join(_positional(action) for action in _arguments(command))
        parts += [f"    bubblescope {name} {usage}".rstrip() + " [options]" * _takes(command), ""]
        for group in command._action_groups:
            rows = _rows(command, group)
            if rows:
                title = group.title or ""
                own = title in ("positional arguments", "options")
                parts += [*([] if own else [f"**{title.capitalize()}**", ""]), _table(rows), ""]
        parts += [*(f"    bubblescope {line}" for line in EXAMPLES[name]), ""]
    return "\n".join(parts)


def subcommands(
    parser: argparse.ArgumentParser,
) -> list[tuple[str, argparse.ArgumentParser, str]]:
    """Return each command's name, its parser and its line of help."""
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    lines = {choice.dest: choice.help or "" for choice in found._choices_actions}
    return [(name, command, lines[name]) for name, command in found.choices.items()]


def _arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in command._actions if not action.option_strings]


def _takes(command: argparse.ArgumentParser) -> bool:
    """Return True if a command has an option other than --help."""
    return any(action.option_strings and action.dest != "help" for action in command._actions)


def _positional(action: argparse.Action) -> str:
    name = f"{action.metavar or action.dest}"
    return f"{name} [{name} ...]" if action.nargs == "+" else name


def _rows(
    parser: argparse.ArgumentParser, group: argparse._ArgumentGroup | None = None
) -> list[tuple[str, str]]:
    """Return arguments and their meaning, of a group of a command or of the whole parser."""
    actions = parser._actions if group is None else group._group_actions
    shown = [a for a in actions if not isinstance(a, argparse._SubParsersAction)]
    return [(_form(action), _meaning(action)) for action in shown if action.dest != "help"]


def _form(action: argparse.Action) -> str:
    """Return the form of an argument: `--batch ROWS`."""
    if not action.option_strings:
        return f"`{_positional(action)}`"
    value = action.metavar or (",".join(map(str, action.choices)) if action.choices else "")
    words = list(action.option_strings)
    if action.nargs != 0:
        words = [f"{name} {value}".rstrip() for name in words]
    return ", ".join(f"`{word}`" for word in words)


def _meaning(action: argparse.Action) -> str:
    help_text = action.help or ""
    parts = [help_text]
    if action.choices and action.metavar and "One of" not in help_text:
        parts.append(f"one of {', '.join(map(str, action.choices))}")
    if action.required and action.option_strings:
        parts.append("required")
    elif isinstance(action.default, str) and action.choices:
        parts.append(f"default: {action.default}")
    return "; ".join(filter(None, parts))


def strategies() -> str:
    """Return every strategy with its options, without those that every run has."""
    rows = [
        (f"`{s.name}`", s.title, s.line, ", ".join(f"`{option.flag}`" for option in s.options))
        for s in STRATEGIES.values()
    ]
    return _table(rows, "name", "title", "description", "takes")


def schedules() -> str:
    """Return every schedule with its line, its passes, and `--chunks` if it takes that."""
    rows = [
        (
            f"`{s.name}`",
            s.title,
            s.line,
            " ".join(sorted(kind.letter for kind in s.uses)),
            "`--chunks`" if s.settable_chunks else "",
        )
        for s in SCHEDULES.values()
    ]
    return _table(rows, "name", "title", "description", "passes", "takes")


def models() -> str:
    """Return every built-in model with its settings, their defaults and its usual batch."""
    rows = [
        (
            f"`{m.name}`",
            m.line,
            ", ".join(f"`{flag_of(name)} {value}`" for name, value in m.settings.items()),
            f"{m.batch}",
        )
        for m in MODELS.values()
    ]
    return _table(rows, "name", "what it is", "settings and defaults", "usual batch")


def devices() -> str:
    """Return every kind of device that is known without torch."""
    rows = [(f"`{kind.device(0)}`", kind.title, kind.abilities) for kind in KINDS.values()]
    return _table(rows, "device", "kind", "what it can do")


def causes() -> str:
    """Return every cause of idle time: its id, its name and its meaning."""
    rows = []
    for name in CAUSES:
        cause = Cause(name)
        rows.append((f"`{cause}`", cause.label, cause.sentence))
    return _table(rows, "cause", "name", "meaning")


def formats() -> str:
    """Return every format of other programs' files, and the dialects of each."""
    rows = []
    for each in TRACE_FORMATS:
        suffixes = ", ".join(f"`*{suffix}`" for suffix in each.suffixes)
        rows.append((each.title, suffixes, each.recognised_by, each.read_as, each.not_read))
        for part in each.dialects:
            rows.append((part.title, suffixes, part.recognised_by, part.read_as, part.not_read))
    return _table(rows, "format", "files", "recognised by", "read as", "not read")


def keys() -> str:
    """Return every action that has keys, and the gestures of the mouse."""
    # The actions belong to the parts of a window: one is made that is never shown.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from core.engine.client import EngineClient
    from gui.app.session import Session
    from gui.app.settings import Settings
    from gui.features.keys.gestures import MOUSE
    from gui.features.keys.keys import sections
    from gui.window.window import MainWindow

    app = QApplication.instance() or QApplication([])
    with TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "settings.ini")
        window = MainWindow(Session(EngineClient()), settings)
        listed = sections(window.menuBar())
        window.leave()
        window.deleteLater()
    app.processEvents()
    rows = [
        (" or ".join(f"`{one}`" for one in keys.split(", ")), text, tip)
        for _, rows in listed[:-1]
        for keys, text, tip in rows
    ]
    mouse = [(gesture, "", does) for gesture, does in MOUSE.items()]
    return _table([*rows, *mouse], "keys or mouse", "action", "what it does")


def packages() -> str:
    """Return every package with the first line of its docstring."""
    rows = []
    for top in ("bubblescope", "core", "gui"):
        for path in sorted(ROOT.glob(f"{top}/**/__init__.py")):
            rows.append((f"`{path.parent.relative_to(ROOT)}`", about(f"{path.relative_to(ROOT)}")))
    return _table(rows, "package", "what is in it")


def way() -> str:
    """Return the files on a span's way from plan to pixel, in order."""
    rows = []
    for path in WAY:
        names = [f"`{name}`" for name in types(path)]
        rows.append((f"`{path}`", about(path), ", ".join(names)))
    return _table(rows, "file", "what is in it", "types")


def about(path: str) -> str:
    """Return the first line of a module's docstring."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def types(path: str) -> list[str]:
    """Return the names of the classes that a module defines."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def puzzles() -> str:
    """Return the table of the built-in puzzles, with the goals of each."""
    rows = []
    for number, path in enumerate(shipped_puzzles(), 1):
        puzzle = read_puzzle(path)
        step = "" if puzzle.goal.step is None else f"{puzzle.goal.step:g}"
        memory = "" if puzzle.goal.memory is None else str(puzzle.goal.memory)
        rows.append((f"{number}. {puzzle.title}", puzzle.about, step, memory))
    return _table(rows, "puzzle", "about", "step at most", "memory at most")


GENERATED: dict[str, Callable[[], str]] = {
    "commands": commands,
    "options": options_table,
    "strategies": strategies,
    "schedules": schedules,
    "models": models,
    "devices": devices,
    "causes": causes,
    "formats": formats,
    "keys": keys,
    "packages": packages,
    "puzzles": puzzles,
    "way": way,
}


def _table(rows: Iterable[tuple[str, ...]], *heads: str) -> str:
    """Return a Markdown table."""
    heads = heads or ("argument", "meaning")
    lines = []
    for row in [heads, ("---",) * len(heads), *rows]:
        cells = [cell.replace("|", "&#124;") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def filled(text: str) -> str:
    """Fill the tables of a page. Raises KeyError for an unknown table."""
    return _PLACE.sub(lambda place: GENERATED[place[1]](), text)


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """Add the pictures and animations to the files of the site."""
    from mkdocs.structure.files import File

    folder = ROOT / PICTURES
    pictures = sorted([*folder.glob("*.png"), *folder.glob("*.gif")])
    for path in [*pictures, ROOT / "resources/icons/bubblescope.svg"]:
        files.append(File.generated(config, f"pictures/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Fill the tables of a page, and correct the paths of its pictures for the site."""
    return filled(markdown).replace(f"../{PICTURES}/", "pictures/")


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Refuse a page that would load something from the network."""
    from mkdocs.exceptions import PluginError

    found = _FROM_NETWORK.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} loads something from the network: {found[0]}")
    return output
