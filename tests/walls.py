"""The walls between the packages: what each may import, read from the source of every file.

`breaches(root)` lists what breaks them; `python tests/walls.py` prints the list and fails if it is
not empty. An import counts wherever it stands: in a function, under TYPE_CHECKING, or as
`import_module("torch")`. No modules import each other in a circle. Two more walls are about what
stands in a file: devices are told apart by what they can do, so only their table and one file that
asks torch name a kind of them; and a class has no more methods than a reader can hold.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("bubblescope", "core", "gui", "main")

QT = ("PySide6", "shiboken6", "pyqtgraph")
NAMES_DEVICES = ("core.recorder.kinds", "core.plan.devices", "core.engine.hardware")
"""The modules that may name a kind of device, or a process group of one."""
MOST_METHODS = 20
TORCH_FREE = (
    "core.plan", "core.trace", "core.costs", "core.explain", "core.models", "core.predict",
    "core.compare", "core.board",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wall:
    """Imports forbidden in the modules under `inside` (but not under `outside`), and the reason."""

    inside: tuple[str, ...]
    banned: tuple[str, ...]
    why: str
    outside: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()


WALLS = (
    Wall(("core",), (*QT, "bubblescope", "gui"), "core runs without Qt"),
    Wall(
        PACKAGES,
        ("torch",),
        "only core.engine and core.recorder import torch",
        outside=("core.engine", "core.recorder"),
    ),
    Wall(
        ("core.recorder",),
        ("core", "gui", "main", "torch.cuda"),
        "it runs in other people's jobs, without the house",
        allowed=("core.recorder",),
    ),
    Wall(
        ("gui",),
        ("core.engine",),
        "gui talks to the engine's process through core.engine.client and core.engine.messages",
        allowed=("core.engine.client", "core.engine.messages"),
    ),
    Wall(
        ("core.engine",),
        ("core.explain", "core.predict", "core.report"),
        "what tasks cost and when they run on costs is in core.costs",
    ),
    Wall(
        ("core.engine",),
        ("torch.cuda", "torch.xpu", "torch.mps"),
        "devices are told apart by what they can do (core.plan.devices)",
        outside=NAMES_DEVICES,
    ),
    Wall(("gui.timeline.state",), ("PySide6.QtWidgets",), "the timeline's state has no widgets"),
    Wall(
        PACKAGES,
        ("subprocess", "multiprocessing", "concurrent.futures.ProcessPoolExecutor"),
        "only core.process starts processes",
        outside=("core.process",),
    ),
)
LAYERS = (
    ("core.message",),
    (
        "core.counts",
        "core.errors",
        "core.plain",
        "core.paths",
        "core.version",
        "core.gc_paused",
        "core.arrays",
        "core.order",
        "core.scatter",
        "core.typed",
    ),
    ("core.recorder", "bubblescope.recorder"),  # one package: the second name is that of jobs
    ("core.reading", "core.process", "core.option", "core.temporary"),
    ("core.models",),
    ("core.plan.task",),
    ("core.plan.division", "core.plan.schedules"),
    ("core.plan.plan",),
    ("core.plan",),
    ("core.plan.pipeline",),
    ("core.plan.strategies",),
    ("core.plan.specification",),
    ("core.plan.planning", "core.plan.launching"),
    ("core.files", "core.machine"),
    ("core.trace",),
    ("core.costs",),
    ("core.recording",),
    ("core.recording.importers", "core.recording.exporters"),
    ("core.recording.recording",),
    ("core.explain",),
    ("core.playback",),
    ("core.predict",),
    ("core.predict.worker",),
    ("core.report",),
    ("core.check", "core.compare"),
    ("core.sql",),
    (
        "core.engine.messages",
        "core.engine.failures",
        "core.engine.hardware",
        "core.engine.imports",
        "core.engine.lanes",
        "core.engine.without_torch",
    ),
    ("core.engine.kept_files", "core.engine.models", "core.engine.remote"),
    ("core.engine.client", "core.engine.rank_models", "core.engine.verify"),
    ("core.engine.prepare",),
    ("core.engine.tasks",),
    ("core.engine.calibration",),
    ("core.engine.tasks.steps",),
    ("core.engine.ranks", "core.engine.virtual", "core.engine.torchrun"),
    ("core.engine",),
    ("core.engine.machine_check",),
    ("core.sweep", "core.job"),
    ("core.lessons",),
    ("core.board",),
    ("gui.look",),
    ("gui.widgets.label", "gui.widgets.layouts"),
    ("gui.timeline.layout",),
    ("gui.timeline.reduce",),
    ("gui.timeline.state",),
    ("gui.timeline.paint",),
    ("gui.timeline.interact",),
    ("gui.app",),
    ("gui.widgets",),
    ("gui.figures",),
    ("gui.report",),
    (
        "gui.features.bookmarks",
        "gui.features.bubbles",
        "gui.features.check",
        "gui.features.details",
        "gui.features.devices",
        "gui.features.keys",
        "gui.features.listen",
        "gui.features.log",
        "gui.features.navigate",
        "gui.features.recordings",
        "gui.features.spans",
        "gui.features.sql",
        "gui.features.steps",
        "gui.features.verdict",
        "gui.features.view",
    ),
    ("gui.features.slowdown", "gui.features.statistics", "gui.features.status", "gui.features.why"),
    ("gui.features.run",),
    ("gui.features.predict", "gui.features.runs"),
    ("gui.features.sweep",),
    ("gui.features.blocks", "gui.features.compare"),
    (
        "gui.features.board",
        "gui.features.figures",
        "gui.features.lessons",
        "gui.features.playback",
    ),
    ("gui.features.first_page",),
    ("gui.features.palette",),
    ("gui.window",),
    ("bubblescope.integrations",),
    ("bubblescope.api",),
    ("bubblescope.cli",),
)
"""The packages, lowest layer first. Each imports only from lower layers, so there are no cycles."""
_KINDS = "cpu|cuda|xpu|mps|nccl|xccl|gloo"
_DEVICE = re.compile(rf"(\d*x)?({_KINDS})(:\d*)?")
_OF_TORCH = re.compile(rf"torch\.(backends\.)?({_KINDS}|cudnn|mkldnn)")
_HEIGHTS = {package: height for height, layer in enumerate(LAYERS) for package in layer}
_LAYERED = tuple({package.partition(".")[0] for package in _HEIGHTS})


@dataclass(frozen=True, slots=True)
class Breach:
    """A breach of a rule: an import, the name of a kind of device, or a class that is too large."""

    path: Path
    line: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}: {self.why}"


def under(name: str, packages: tuple[str, ...]) -> bool:
    """Return True if a dotted name is one of the packages or inside one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def house_files(root: Path) -> list[Path]:
    """Every Python file of the house, without its tests."""
    folders = ("bubblescope/api", "bubblescope/cli", "bubblescope/integrations", "core", "gui")
    packages = [path for folder in folders for path in (root / folder).rglob("*.py")]
    return sorted(path for path in [*packages, root / "main.py"] if path.exists())


def module_name(path: Path, root: Path) -> str:
    """The dotted name under which a file of the house is imported."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules(root: Path, *packages: str) -> list[str]:
    """The names of all modules under the packages, without the ones that are run, not imported."""
    names = (module_name(path, root) for path in house_files(root) if path.stem != "__main__")
    return [name for name in names if under(name, packages)]


def breaches(root: Path = ROOT) -> list[Breach]:
    """Everything that breaks a wall, in the order of files."""
    found = []
    files: dict[str, Path] = {}
    imports: dict[str, list[str]] = {}
    for path in house_files(root):
        name = module_name(path, root)
        nodes = list(ast.walk(ast.parse(path.read_bytes(), filename=str(path))))
        walls = [
            wall for wall in WALLS if under(name, wall.inside) and not under(name, wall.outside)
        ]
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        imported_at = sorted(_imports(nodes, package))
        files[name] = path
        imports[name] = [imported for _, imported in imported_at]
        for line, imported in imported_at:
            found += [
                Breach(path.relative_to(root), line, f"imports {imported}", wall.why)
                for wall in walls
                if under(imported, wall.banned) and not under(imported, wall.allowed)
            ]
            if not _is_below(imported, name):
                why = "it is not in a lower layer (LAYERS)"
                found.append(Breach(path.relative_to(root), line, f"imports {imported}", why))
        found += [
            Breach(path.relative_to(root), line, f"{text} has {count} methods", "split it")
            for line, text, count in _classes(nodes)
            if count > MOST_METHODS
        ]
        if name not in NAMES_DEVICES:
            found += [
                Breach(path.relative_to(root), line, f"names {text}", "ask core.plan.devices")
                for line, text in sorted(_devices(nodes))
            ]
    return found + _circle(root, files, imports)


def _circle(root: Path, files: dict[str, Path], imports: dict[str, list[str]]) -> list[Breach]:
    """Modules that import each other in a circle, if there are any: layers hold folders apart only.

    A module's import of a name counts as one of the module that has the name.
    """
    graph = {}
    for name, imported in imports.items():
        found = {one if one in files else one.rpartition(".")[0] for one in imported}
        graph[name] = found & files.keys() - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        where, what = files[circle[0]].relative_to(root), " < ".join(circle)
        return [Breach(where, 1, f"stands in a circle: {what}", "one of them needs less")]
    return []


def _is_below(imported: str, name: str) -> bool:
    """Return True if a module may import another: of its own package, or of a lower layer."""
    house = name.partition(".")[0]
    if house not in _LAYERED or imported.partition(".")[0] != house:
        return True
    own, other = _layer_of(name), _layer_of(imported)
    return own == other or _HEIGHTS.get(other, len(LAYERS)) < _HEIGHTS.get(own, 0)


@functools.cache
def _layer_of(name: str) -> str:
    """The package of LAYERS that a module is of; else its own, which has no layer."""
    found = [package for package in _HEIGHTS if under(name, (package,))]
    return max(found, key=len, default=".".join(name.split(".")[:2]))


def _classes(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str, int]]:
    """Line, name and number of methods of every class."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            yield node.lineno, node.name, len(methods)


def _devices(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Kinds of devices as a text of their own (`cuda:0`, `2xcpu`), and torch's modules for them."""
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if _DEVICE.fullmatch(text):
                yield node.lineno, repr(text)
            case ast.Attribute():
                text = _dotted(node)
                if _OF_TORCH.fullmatch(text):
                    yield node.lineno, text


def _dotted(node: ast.expr) -> str:
    """`torch.backends.cuda` as it is written; "" for what is no name with attributes."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _imports(nodes: Sequence[ast.AST], package: str) -> Iterator[tuple[int, str]]:
    for node in nodes:
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                # One dot is the package itself, each further one its parent.
                parents = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                base = ".".join([*parents, *([module] if module else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name


def main() -> int:
    """Print every breach; 1 if there is one."""
    found = breaches()
    for breach in found:
        print(breach)
    files = len(house_files(ROOT))
    print(f"walls: {files} files, {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
