"""Fixtures of all tests. No Qt here: the tests of core run where Qt is not installed."""

from __future__ import annotations

import functools
import gc
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.alone import turn_to_run
from tests.forked import ADDRESS, Forking
from tests.forked_commands import ForkedCommands, forked_commands
from tests.ranks import forked_ranks

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A shell makes jobs in the background (`&`) ignore the first two, and nohup the third. Programs
# that the tests start would inherit that, and many tests send these signals.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        handler = signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL
        signal.signal(number, handler)

HAS_QT = importlib.util.find_spec("PySide6") is not None

collect_ignore = [] if HAS_QT else ["gui"]

LOCKS = pytest.StashKey[str]()

# A deadline on a drawn example measures how busy the machine is.
settings.register_profile("bubblescope", deadline=None)
if "CI" not in os.environ:  # there hypothesis takes its own profile: no deadline, fixed seeds
    settings.load_profile("bubblescope")


def pytest_addoption(parser, pluginmanager):
    if not HAS_QT:
        # Left in, pytest-qt ends the run when it finds no Qt.
        for name in ("pytest-qt", "pytestqt.plugin"):
            pluginmanager.set_blocked(name)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Give each worker the folder of the run's locks."""
    stash = node.config.stash
    if LOCKS not in stash:
        stash[LOCKS] = tempfile.mkdtemp(prefix="bubblescope-")
    node.workerinput["locks"] = stash[LOCKS]


def pytest_unconfigure(config):
    if LOCKS in config.stash:
        shutil.rmtree(config.stash[LOCKS])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    worker = getattr(item.config, "workerinput", None)
    if worker is None:  # there is one process only
        return (yield)
    alone = item.get_closest_marker("alone") is not None
    with turn_to_run(Path(worker["locks"]), alone):
        return (yield)


def pytest_collection_finish():
    """Keep the collector from going through all that is imported by now, again and again.

    The window does the same once it is shown (gui/window/quick_start.py).
    """
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item):
    if item.get_closest_marker("accelerator") is not None and not has_accelerator():
        pytest.skip("torch reports no accelerator")


@pytest.fixture(scope="session", autouse=True)
def one_application():
    """Make a QApplication first: figures would make a QGuiApplication, which no window can use."""
    if not HAS_QT:
        return None
    from PySide6.QtWidgets import QApplication

    return QApplication.instance() or QApplication([])


@pytest.fixture(scope="session")
def ranks():
    """Run jobs of several ranks. Needs torch."""
    with forked_ranks() as made:
        yield made


@pytest.fixture(scope="session")
def commands() -> Iterator[ForkedCommands]:
    """Run commands of main.py: see tests/forked_commands.py."""
    with forked_commands() as made:
        yield made


@pytest.fixture(scope="session", autouse=True)
def forking():
    """Fork engines, their ranks and workers: see tests/forked.py."""
    if sys.platform != "linux":
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket has to be short
        made = Forking(Path(folder))
        with made.forked():
            yield made
        made.close()


@pytest.fixture(autouse=True)
def processes_are_started(request, forking):
    """Start all processes in a test that is about that; no accelerator can be forked."""
    marks = map(request.node.get_closest_marker, ("starts_processes", "accelerator"))
    if forking is None or not any(marks):
        yield
        return
    with forking.started():
        yield


@pytest.fixture
def forking_again(processes_are_started, forking) -> Callable[[], None]:
    """Function that has later processes forked in a test that is marked `starts_processes`."""
    return (lambda: None) if forking is None else forking.resume


@pytest.fixture
def forked_engines(processes_are_started, forking):
    """Fork the engines of programs that are run by tests/forked_engine.py, too."""
    if forking is not None and ADDRESS in os.environ:
        forking.start()


@functools.cache
def has_accelerator() -> bool:
    """Ask torch, which only a test marked `accelerator` makes this process load."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a driver that is too old is no device
            import torch

            return torch.accelerator.is_available()
    except ImportError:
        return False
