"""What the docs are built with: tables from the code itself, and the window's pictures.

A MkDocs hook (see mkdocs.yml). A page says `<!-- generated: NAME -->` where a table of `GENERATED`
stands; nothing of these is kept in a file, so nothing of them can be out of date. Pictures lie in
`resources/screenshots`, where README and a forge find them too: they are copied into the site.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bubblescope.cli.arguments import make_parser, options_table
from bubblescope.cli.examples import EXAMPLES
from core.models.catalogue import MODELS
from core.option import flag_of
from core.plan.devices import KINDS
from core.plan.schedules import SCHEDULES
from core.plan.strategies import STRATEGIES
from gui.menus.actions import ENTRIES, MENUS, MOUSE

if TYPE_CHECKING:  # the tables are made, and tested, without MkDocs too
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PICTURES = "resources/screenshots"
WAY = (
    "core/plan/strategies/dp.py",
    "core/plan/task.py",
    "core/plan/plan.py",
    "core/engine/tasks/executor.py",
    "core/engine/tasks/operations.py",
    "core/engine/lanes/lane.py",
    "core/recording/schema.py",
    "core/engine/client.py",
    "core/recording/decode.py",
    "core/trace/trace.py",
    "core/trace/spans.py",
    "gui/app/session.py",
    "gui/timeline/state/timeline.py",
    "gui/timeline/state/scene.py",
    "gui/timeline/interact/view.py",
    "gui/timeline/layout/frame.py",
    "gui/timeline/paint/picture.py",
    "gui/timeline/reduce/reduction.py",
    "gui/timeline/state/bar_looks.py",
    "gui/timeline/paint/pixels.py",
)
"""What one opens to follow a forward task of `dp` from the line that plans it to its bar."""
_PLACE = re.compile(r"<!-- generated: ([\w-]+) -->")
_FROM_NETWORK = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b[^>]*\bhref=["']?(?:https?:)?//"""
)


def commands() -> str:
    """Every command with its own help and options, from the parser's structure."""
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
    """Each command's name, its own parser and its line of help."""
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    lines = {choice.dest: choice.help or "" for choice in found._choices_actions}
    return [(name, command, lines[name]) for name, command in found.choices.items()]


def _arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in command._actions if not action.option_strings]


def _takes(command: argparse.ArgumentParser) -> bool:
    """Whether a command has an option beside its help."""
    return any(action.option_strings and action.dest != "help" for action in command._actions)


def _positional(action: argparse.Action) -> str:
    name = f"{action.metavar or action.dest}"
    return f"{name} [{name} ...]" if action.nargs == "+" else name


def _rows(
    parser: argparse.ArgumentParser, group: argparse._ArgumentGroup | None = None
) -> list[tuple[str, str]]:
    """Arguments and what they mean, of a group of a command or of the parser as a whole."""
    actions = parser._actions if group is None else group._group_actions
    shown = [a for a in actions if not isinstance(a, argparse._SubParsersAction)]
    return [(_form(action), _meaning(action)) for action in shown if action.dest != "help"]


def _form(action: argparse.Action) -> str:
    """How an argument is written: `--batch ROWS`."""
    if not action.option_strings:
        return f"`{_positional(action)}`"
    value = action.metavar or (",".join(map(str, action.choices)) if action.choices else "")
    words = [f"{name} {value}".rstrip() if action.nargs != 0 else name
             for name in action.option_strings]  # fmt: skip
    return ", ".join(f"`{word}`" for word in words)


def _meaning(action: argparse.Action) -> str:
    told = [action.help or ""]
    if action.choices and action.metavar and "One of" not in (action.help or ""):
        told.append(f"one of {', '.join(map(str, action.choices))}")
    if action.required and action.option_strings:
        told.append("has to be given")
    elif isinstance(action.default, str) and action.choices:
        told.append(f"default: {action.default}")
    return "; ".join(filter(None, told))


def strategies() -> str:
    """Every strategy with the options that it takes beside those of every run."""
    rows = [
        (f"`{s.name}`", s.title, s.line, ", ".join(f"`{option.flag}`" for option in s.options))
        for s in STRATEGIES.values()
    ]
    return _table(rows, "name", "title", "in a line", "takes")


def schedules() -> str:
    """Every schedule with its line, its passes and whether it takes `--chunks`."""
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
    return _table(rows, "name", "title", "in a line", "passes", "takes")


def models() -> str:
    """Every built-in model with its settings, their defaults and its usual batch."""
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
    """Every kind of device that is known without torch."""
    rows = [(f"`{kind.device(0)}`", kind.title, kind.abilities) for kind in KINDS.values()]
    return _table(rows, "device", "kind", "what it can do")


def keys() -> str:
    """Every action of the menus that has keys, and what the mouse does."""
    rows = [
        (" or ".join(f"`{one}`" for one in entry.keys.split(" or ")), entry.text, entry.tip)
        for menu in MENUS
        for entry in ENTRIES
        if entry.keys and entry.menu.partition("/")[0] == menu
    ]
    mouse = [(gesture, "", does) for gesture, does in MOUSE.items()]
    return _table([*rows, *mouse], "keys or mouse", "action", "what it does")


def packages() -> str:
    """Every package below the top, with the first line of what it says of itself."""
    rows = []
    for path in sorted(ROOT.glob("core/**/__init__.py")) + sorted(ROOT.glob("gui/**/__init__.py")):
        rows.append((f"`{path.parent.relative_to(ROOT)}`", about(f"{path.relative_to(ROOT)}")))
    return _table(rows, "package", "what is in it")


def way() -> str:
    """The files on a span's way from plan to pixel, in the order in which it meets them."""
    rows = [(f"`{path}`", about(path), ", ".join(f"`{name}`" for name in types(path)))
            for path in WAY]  # fmt: skip
    return _table(rows, "file", "what is in it", "types")


def about(path: str) -> str:
    """The first line of what a file says of itself."""
    told = ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8"))) or ""
    return told.partition("\n")[0]


def types(path: str) -> list[str]:
    """The classes that a file defines."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


GENERATED: dict[str, Callable[[], str]] = {
    "commands": commands,
    "options": options_table,
    "strategies": strategies,
    "schedules": schedules,
    "models": models,
    "devices": devices,
    "keys": keys,
    "packages": packages,
    "way": way,
}


def _table(rows: Iterable[tuple[str, ...]], *heads: str) -> str:
    """A Markdown table."""
    heads = heads or ("argument", "meaning")
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |"
                     for line in lines)  # fmt: skip


def filled(text: str) -> str:
    """A page with its tables. Raises KeyError if it asks for one that there is not."""
    return _PLACE.sub(lambda place: GENERATED[place[1]](), text)


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """The pages' pictures join the files of the site."""
    from mkdocs.structure.files import File

    pictures = sorted((ROOT / PICTURES).glob("*.png"))
    for path in [*pictures, ROOT / "resources/icons/bubblescope.svg"]:
        files.append(File.generated(config, f"pictures/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """A page with its tables, and with its pictures where the site has them."""
    return filled(markdown).replace(f"../{PICTURES}/", "pictures/")


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Refuse a page that would load something from the network."""
    from mkdocs.exceptions import PluginError

    found = _FROM_NETWORK.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} loads something from the network: {found[0]}")
    return output
