"""The window's texts, collected for Qt Linguist: `python -m tests.gui.translations`.

Brings resources/translations/*.ts up to the sources with lupdate, which keeps what is translated,
and writes the .qm files that the window reads with lrelease; both are Qt's own and come with
PySide6. Prints what is still to be translated.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

from core.models.catalogue import MODELS
from core.paths import PROJECT_ROOT, RESOURCES
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIONS
from core.plan.strategies import STRATEGIES
from gui.app.language import FILES, FOLDER, OWN
from gui.look.core_texts import TEMPLATES
from tests.gui.core_sentences import core_sentences

CONTEXT = "Bubblescope"
NO_TEXT = re.compile(r"[\W\d]*|[a-z]+(_[a-z]+)+|.*\.arrow")
"""Signs and numbers, and names of things that stand in tables beside texts."""
TOOLS = Path(sys.executable).parent
TABLES = {
    "core.compare.sentence": (
        "TOPICS", "SAME", "SAME_BUT", "WITHIN", "SHORTER", "LONGER", "SPEND", "LESS", "MORE",
        "UNNAMED", "AND", "BUT",
    ),
    "core.explain.causes": ("_WORDS", "ACTIONS"),
    "core.explain.critical": ("PathShare",),
    "core.explain.gaps": (
        "BLOCKED", "ACTING", "AND_MORE", "PLAIN", "WHOLE", "SEVERAL", "REST",
    ),
    "core.plan.task": ("Kind", "Payload"),
    "core.predict.compare": ("CostSource",),
    "gui.app.figure_options": ("PRESETS",),
    "core.report.idling": (
        "STEP", "ITERATION", "IDLE", "WAITING", "LARGEST", "LANE", "LANES", "RANK", "RANKS",
        "DEVICE", "DEVICES", "FOR_ALL", "WORK", "REASONS", "MORE_WORK",
    ),
    "core.report.device_shares": (
        "IN_USE", "IDLE", "SPREAD", "MOSTLY", "LARGEST", "EXPOSED", "COPIES", "DEVICE_REASONS",
    ),
    "core.report.limits": (
        "WORDS", "AT_LEAST", "DEVICE_WORDS", "PLACE_WORDS", "JOB_WORDS", "RANK_WORDS",
        "PASS_WORDS", "LANES_NOT_TOLD",
    ),
    "core.report.warmup_text": ("FIRST_STEP", "FIRST_STEPS"),
    "core.report.waterfall": ("BAR_WORDS",),
    "core.sql.examples": ("TITLES",),
    "core.trace.import_issue": ("_SENTENCES", "_SENTENCES_OF_ONE"),
    "core.trace.query": ("KEYS",),
    "gui.compare.chooser": ("RECORDINGS", "TRACES"),
    "gui.compare.comparing": ("IN_STRIP_A", "IN_STRIP_B"),
    "gui.compare.exporting": ("FIGURES",),
    "gui.compare.report": ("NAMES",),
    "gui.first_page.samples": ("SAMPLES",),
    "gui.first_page.welcome": ("SENTENCE", "FIRST_ACTIONS"),
    "gui.look.colours": ("VISIONS",),
    "gui.look.families": ("Family",),
    "gui.panels.data.figure": ("PARTS", "COLOURS"),
    "gui.panels.data.log": ("LEVELS",),
    "gui.panels.data.spans_model": ("COLUMNS",),
    "gui.panels.explain.shares": ("SHARE_WORDS",),
    "gui.panels.explain.statistics": ("HINT",),
    "gui.panels.explain.waterfall": ("BAR_NAMES", "BAR_TIPS", "TOTAL"),
    "gui.panels.explain.why": ("_BUBBLES",),
    "gui.panels.predict.advisor_panel": ("COLUMNS",),
    "gui.panels.predict.answer_figures": ("FIGURES",),
    "gui.panels.predict.whatif": ("WORDS",),
    "gui.predictions.what_if": ("FILES",),
    "gui.recordings.exporting": ("REPORT",),
    "gui.timeline.interact.describe": ("TITLES",),
    "gui.timeline.paint.legend": ("_NAMES",),
    "gui.window.bars": ("NAMES",),
}  # fmt: skip
"""By module the tables whose texts are translated where they are shown."""


def every_text() -> list[str]:
    """All texts that the window may show, in English, each once."""
    found = [*_called(), *_tables(), *_described(), *_actions(), *core_sentences()]
    return sorted({text for text in found if text and not NO_TEXT.fullmatch(text)})


def _called() -> Iterator[str]:
    """The texts that stand in calls of `tr`."""
    for path in sorted((PROJECT_ROOT / "gui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tr" and node.args:
                yield from _constants(node.args[0])


def _constants(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)


def _tables() -> Iterator[str]:
    for module, names in TABLES.items():
        for name in names:
            yield from _texts(getattr(import_module(module), name))


def _texts(value: object) -> Iterator[str]:
    """The texts in a value, in tables of tables, and in fields of dataclasses."""
    if isinstance(value, str):
        yield str(value)
    elif isinstance(value, Mapping):
        inside = list(_texts(tuple(value.values())))
        yield from inside or _texts(tuple(value))  # of numbers by name the names are shown
    elif isinstance(value, type) and issubclass(value, StrEnum):
        yield from map(str, value)
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from _texts(inner)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))


def _described() -> Iterator[str]:
    """What strategies, schedules, models and options are called and said to be."""
    for one in (*STRATEGIES.values(), *SCHEDULES.values()):
        yield from (one.title, one.line)
    for model in MODELS.values():
        yield from (model.title, model.line)
    for option in OPTIONS:
        yield from option.contrast
        yield from (option.title, option.help, option.usual, option.otherwise, option.unit)
        yield option.name.replace("_", " ")
    for path in sorted((PROJECT_ROOT / "core" / "plan").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.endswith("_unused"):
                returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
                for value in returned:
                    yield from () if value is None else _constants(value)


def _actions() -> Iterator[str]:
    """Menus, actions and gestures of resources/actions.json."""
    table = json.loads((RESOURCES / "actions.json").read_text("utf-8"))
    mouse = table.pop("mouse")
    yield from (*mouse, *mouse.values())
    for menu, rows in table.items():
        yield from (*menu.split("/"), "Open recent")
        for text, _, _, tip, *_ in rows.values():
            yield from (text, tip)


def translated(file: Path) -> dict[str, str]:
    """The finished translations of a .ts file, by source text."""
    found = {}
    for message in ElementTree.parse(file).getroot().iter("message"):
        source, translation = message.findtext("source"), message.find("translation")
        if source and translation is not None and translation.text:
            found[source] = translation.text
    return found


def main() -> int:
    """Bring all files up to date; 1 if something is not translated."""
    texts, missing = every_text(), 0
    TEMPLATES.write_text(json.dumps(core_sentences(), indent=0, ensure_ascii=False), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "texts.py"
        lines = [f"QCoreApplication.translate({CONTEXT!r}, {json.dumps(t)})\n" for t in texts]
        source.write_text("".join(lines), "utf-8")
        for name in FILES.values():
            file = FOLDER / f"{OWN}_{name}.ts"
            _run("lupdate", str(source), "-no-obsolete", "-locations", "none",
                 "-source-language", "en", "-target-language", name, "-ts", str(file))  # fmt: skip
            _run("lrelease", str(file), "-qm", str(file.with_suffix(".qm")))
            left = sorted(set(texts) - set(translated(file)))
            missing += len(left)
            print(f"{file.name}: {len(texts)} texts, {len(left)} to translate")
            print("".join(f"  {text}\n" for text in left), end="")
    return 1 if missing else 0


def _run(tool: str, *words: str) -> None:
    subprocess.run([str(TOOLS / f"pyside6-{tool}"), *words], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
