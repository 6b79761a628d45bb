"""Collects the templates of the sentences that core says and the window shows.

`python -m tests.gui.core_sentences` writes them to resources/translations/sentences.json.
"""

from __future__ import annotations

import ast
import json
import re
import string
from collections.abc import Iterator
from pathlib import Path

from core.paths import PROJECT_ROOT
from gui.look.core_texts import TEMPLATES

PLACES = (
    "engine", "files.py", "job", "models", "option.py", "plain.py", "plan",
    "predict", "process", "recorder/kinds.py", "recorder/session.py",
    "recording", "sql/apart.py", "sql/query.py", "sweep/sweep.py", "sweep/values.py",
)  # fmt: skip
"""Where in core such sentences stand."""
_COMMANDS = (
    "engine/torchrun/launch.py",
    "engine/torchrun/rank.py",
    "recording/formats.py",
    "recording/handshakes.py",
    "recording/rank_folder.py",
)
"""What is said on the command line or in the docs alone; marked texts are collected anyway."""
WORDS = 3
"""A template has so many words and places, two words at least: no other text fits it by chance."""
_NOT_SHOWN = re.compile(
    r"""core\. | Using\ `torch
    | Expected | parameters\ that\ were | In\ (Model|msg) | Outside | Process\ Group
    | (out|not)[- ](of|enough)[- ] | .*(lane=\{ | \.\* | \.part | \.marks | blocks\{ | \\ | \(\?)
    | .*(SELECT | PRAGMA | CREATE\ TABLE | SET\ | mode=ro | :GB_S)
    | .*(ProfilerStep | ncclDev | json\.gz | \.et | (to|from)\ rank)""",
    re.VERBOSE,
)
"""Names of modules, patterns, and what a model prints itself."""
_WORD = re.compile(r"[A-Za-z][a-z']+")


def file_sentences(file: Path) -> list[str]:
    """Return the templates of a file of core, sorted; none outside of `PLACES`."""
    place = file.relative_to(PROJECT_ROOT / "core").as_posix()
    if not place.startswith(PLACES) or place.startswith(_COMMANDS):
        return []
    return sorted(set(_templates(ast.parse(file.read_text("utf-8")))))


def core_sentences() -> list[str]:
    """Return the templates of all of core, each once, sorted."""
    files = (PROJECT_ROOT / "core").rglob("*.py")
    return sorted({text for file in files for text in file_sentences(file)})


def _templates(tree: ast.AST) -> Iterator[str]:
    inner = {id(part) for node in ast.walk(tree) for part in _not_said(node)}
    for node in ast.walk(tree):
        if id(node) not in inner:
            text = _template(node)
            own = _WORD.findall(re.sub(r"\{\w+\}", " ", text))
            long = len(own) > 1 and len(own) + text.count("{") >= WORDS
            if long and not _NOT_SHOWN.match(text):
                yield text


def _not_said(node: ast.AST) -> list[ast.expr]:
    """Docstrings, the parts of texts with places in them, and what Babel finds by itself."""
    if isinstance(node, ast.JoinedStr):
        return node.values
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("N_", "counted", "message"):
        return node.args
    return [node.value] if isinstance(node, ast.Expr) else []


def _template(node: ast.AST) -> str:
    """A text with a name for each of its places; nothing for what is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) and " " in node.value else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    names = iter(string.ascii_lowercase)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"{{{next(names)}}}"
        for part in node.values
    )


if __name__ == "__main__":
    TEMPLATES.write_text(json.dumps(core_sentences(), indent=0, ensure_ascii=False), "utf-8")
