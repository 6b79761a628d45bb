from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import walls

IMPORT_ALL = """
import importlib, sys
blocked, unwanted, names = (part.split() for part in sys.argv[1:])
for name in blocked:
    sys.modules[name] = None  # importing it raises ModuleNotFoundError
for name in names:
    importlib.import_module(name)
print(*sorted(name for name in unwanted if sys.modules.get(name) is not None))
"""


def imported_among(unwanted, names, blocked=()):
    """Which of `unwanted` a fresh Python has loaded after it imported `names`."""
    assert names, "there is nothing to import, so nothing would be shown"
    child = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *map(" ".join, (blocked, unwanted, names))],
        cwd=walls.ROOT,
        env={**os.environ, "PYTHONPATH": str(walls.ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.split()


def house(root: Path, path: str, source: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    return root


def test_no_file_imports_across_a_wall():
    assert [str(breach) for breach in walls.breaches()] == []


@pytest.mark.parametrize(
    ("path", "source", "imported"),
    [
        ("core/engine/server.py", "import PySide6.QtCore", "PySide6.QtCore"),
        (
            "core/trace/x.py",
            "from gui.timeline.layout import frame",
            "gui.timeline.layout.frame",
        ),
        ("core/explain/x.py", "import pyqtgraph as pg", "pyqtgraph"),
        ("core/plan/x.py", "def f():\n    import torch", "torch"),
        ("core/models/x.py", "from torch.nn import Linear", "torch.nn.Linear"),
        (
            "core/predict/x.py",
            "from core.engine.lanes.lane import LaneThread",
            "core.engine.lanes.lane.LaneThread",
        ),
        (
            "core/explain/x.py",
            "from core.predict.predict import Prediction",
            "core.predict.predict.Prediction",
        ),
        ("core/costs/x.py", "from core.explain import causes", "core.explain.causes"),
        ("core/engine/x.py", "from core.report import summary", "core.report.summary"),
        ("bubblescope/cli/x.py", "import torch", "torch"),
        ("bubblescope/integrations/x.py", "import torch", "torch"),
        ("core/sql/x.py", "from bubblescope.cli import report", "bubblescope.cli.report"),
        ("core/trace/x.py", "import core.recording.schema", "core.recording.schema"),
        ("core/report/x.py", "from core.compare import runs", "core.compare.runs"),
        ("core/trace/x.py", "from core.new import Thing", "core.new.Thing"),
        ("core/new/x.py", "import core.trace.trace", "core.trace.trace"),
        ("core/plan/x.py", "from ..engine import messages", "core.engine.messages"),
        ("core/plan/__init__.py", "from ..engine import messages", "core.engine.messages"),
        ("gui/features/x.py", "if TYPE_CHECKING:\n    import torch", "torch"),
        ("gui/features/x.py", "from core.engine import server", "core.engine.server"),
        ("gui/features/x.py", "import core.engine", "core.engine"),
        ("core/recording/x.py", "import subprocess", "subprocess"),
        ("gui/x.py", "from multiprocessing import Pipe", "multiprocessing.Pipe"),
        ("gui/x.py", "importlib.import_module('torch.cuda')", "torch.cuda"),
        ("core/engine/x.py", "from torch.cuda import Event", "torch.cuda.Event"),
        ("core/engine/x.py", "from torch import cuda", "torch.cuda"),
    ],
)
def test_an_import_across_a_wall_is_named_with_its_file_and_line(tmp_path, path, source, imported):
    (breach,) = walls.breaches(house(tmp_path, path, source))
    line = len(source.splitlines())
    assert str(breach).startswith(f"{path}:{line}: imports {imported}: ")


def test_modules_of_one_folder_that_import_each_other_are_named(tmp_path):
    house(tmp_path, "gui/features/steps/chart.py", "import gui.features.steps.panel")
    (tmp_path / "gui/features/steps/panel.py").write_text(
        "from gui.features.steps.chart import Chart"
    )
    (breach,) = walls.breaches(tmp_path)
    assert "circle" in str(breach) and "chart" in str(breach) and "steps" in str(breach)


@pytest.mark.parametrize(
    ("path", "source", "named"),
    [
        ("core/plan/lanes.py", "x = device == 'cpu'", "'cpu'"),
        ("gui/x.py", "f'{count}xcuda'", "'xcuda'"),
        ("core/predict/x.py", "CHOICES = ['auto', '2xmps']", "'2xmps'"),
        ("core/engine/rank_models/ddp.py", "name.startswith('xpu:')", "'xpu:'"),
        ("core/engine/rank_models/ddp.py", "name == 'nccl'", "'nccl'"),
        ("core/engine/lanes/lane.py", "torch.cuda.synchronize()", "torch.cuda"),
        (
            "core/engine/lanes/lane.py",
            "torch.backends.cudnn.allow_tf32 = 1",
            "torch.backends.cudnn",
        ),
    ],
)
def test_a_kind_of_device_that_is_named_outside_the_table_is_a_breach(
    tmp_path, path, source, named
):
    (breach,) = walls.breaches(house(tmp_path, path, source))
    assert str(breach).startswith(f"{path}:1: names {named}: ")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/plan/devices.py", "HOST = 'cpu'"),
        ("core/engine/hardware.py", "torch.backends.cuda.matmul.allow_tf32 = False"),
        ("core/plan/lanes.py", "'such as 2xcpu or cuda:0'"),
        ("gui/x.py", "'cpu:1 waits'"),
        ("core/engine/lanes/lane.py", "torch.accelerator.synchronize()\ntensor.cpu()"),
    ],
)
def test_words_for_people_and_the_table_may_name_devices(tmp_path, path, source):
    assert walls.breaches(house(tmp_path, path, source)) == []


def test_every_folder_stands_in_a_layer():
    folders = {path.parent for path in walls.house_files(walls.ROOT)} - {walls.ROOT}
    packages = {walls.module_name(folder, walls.ROOT) for folder in folders}
    listed = {package for layer in walls.LAYERS for package in layer}
    without = {
        "core",
        "gui",
        "gui.features",
        "gui.timeline",
        "core.recorder.site",
    }  # the last is one script
    assert packages - listed == without


def test_a_class_with_more_methods_than_a_reader_can_hold_is_a_breach(tmp_path):
    methods = "".join(f"\n    def f{n}(self): ..." for n in range(21))
    (breach,) = walls.breaches(house(tmp_path, "gui/x.py", f"class Large:{methods}"))
    assert str(breach) == "gui/x.py:1: Large has 21 methods: split it"


def test_main_py_must_not_import_torch(tmp_path):
    (tmp_path / "main.py").write_text("import torch")
    assert [breach.what for breach in walls.breaches(tmp_path)] == ["imports torch"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/engine/tasks/executor.py", "import torch\nfrom core.engine import lanes"),
        ("core/plan/x.py", "import torchlike\nfrom core.plan import engine"),
        ("core/predict/x.py", "from core.explain import causes\nimport core.costs.costs"),
        ("gui/x.py", "from core.engine.client import Client\nfrom core.engine import messages"),
        ("gui/look/x.py", "import PySide6, pyqtgraph\nfrom . import torch"),
        ("core/process/x.py", "import subprocess, multiprocessing"),
    ],
)
def test_an_import_that_no_wall_forbids_is_left_alone(tmp_path, path, source):
    assert walls.breaches(house(tmp_path, path, source)) == []


def test_importing_every_module_of_gui_leaves_torch_unloaded():
    pytest.importorskip("PySide6", reason="Qt is not installed")
    assert imported_among(["torch"], walls.modules(walls.ROOT, "gui")) == []


def test_importing_every_module_of_core_leaves_qt_unloaded():
    assert imported_among(walls.QT, walls.modules(walls.ROOT, "core")) == []


def test_every_module_of_core_imports_where_qt_is_not_installed():
    imported_among([], walls.modules(walls.ROOT, "core"), blocked=walls.QT)


def test_the_command_check_imports_where_qt_is_not_installed():
    modules = ["bubblescope.cli.start", "bubblescope.cli.checking"]
    imported_among([], modules, blocked=walls.QT)


def test_plan_trace_explain_models_and_predict_import_where_torch_is_not_installed():
    imported_among([], walls.modules(walls.ROOT, *walls.TORCH_FREE), blocked=["torch"])


def test_what_the_window_needs_of_the_engine_imports_where_torch_is_not_installed():
    shared = walls.modules(walls.ROOT, "core.engine.client", "core.engine.messages")
    imported_among([], shared, blocked=["torch"])


def test_where_qt_is_not_installed_all_tests_but_those_of_gui_are_collected(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['PySide6'] = None\n")
    child = subprocess.run(
        # Plain: rewriting the assertions of every test takes longer than importing them.
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "--assert=plain"],
        cwd=walls.ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert child.returncode == 0, child.stdout + child.stderr
    assert "tests/test_walls.py::" in child.stdout
    assert "tests/gui/" not in child.stdout


def test_every_folder_with_modules_is_a_package_so_that_the_wheel_contains_it():
    modules = [file for top in ("core", "gui") for file in (walls.ROOT / top).rglob("*.py")]
    folders = {file.parent for file in modules}
    assert len(folders) > 50
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []
