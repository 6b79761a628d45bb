"""The machine of a run: this one, or a host that the user names."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QLineEdit

from core.engine.messages import Ended, Outcome
from core.plan.devices import Accelerator, Hardware
from core.plan.specification import TORCHRUN, Specification
from gui.app.settings import Settings
from gui.features.run.feature import RunFeature
from gui.features.status.feature import StatusFeature
from gui.widgets.where import WhereField
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient

GPU = Hardware(64, 1 << 38, (Accelerator("cuda:0", "Imaginary 9000", 24 << 30),))


def where(window: MainWindow) -> WhereField:
    return window.feature(RunFeature).form.options.where


def listed(field: WhereField) -> list[str]:
    return [field.itemText(index) for index in range(field.count())]


def engine_text(window: MainWindow) -> str:
    return window.feature(StatusFeature).line.engine.text()


def name(window: MainWindow, host: str) -> None:
    """Choose the last item with the keyboard, and type a name."""
    field = where(window)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_End)
    dialog = next(each for each in window.findChildren(QInputDialog) if each.isVisible())
    line = dialog.findChild(QLineEdit)
    QTest.keyClicks(line, host)
    QTest.keyClick(line, Qt.Key.Key_Return)


def test_a_named_machine_runs_the_engine_and_its_devices_are_offered(
    window: MainWindow, client: FakeClient
) -> None:
    window.session.tick()
    assert engine_text(window) == "engine ready" and client.host == ""
    name(window, " me@gpu ")
    assert client.host == "me@gpu" and where(window).currentText() == "me@gpu"
    assert engine_text(window) == "connecting to me@gpu…"
    client.messages = [GPU]
    window.session.tick()
    assert engine_text(window) == "engine ready on me@gpu"
    devices = window.feature(RunFeature).form.fields["devices"].widget
    assert devices.findData("cuda:0") >= 0


def test_an_unreachable_machine_is_reported_and_this_one_can_be_chosen_again(
    window: MainWindow, client: FakeClient
) -> None:
    name(window, "gpu")
    client.messages = [Ended(Outcome.FAILED, "the machine gpu cannot be reached: No route")]
    window.session.tick()
    said = "The machine gpu cannot be reached: No route. Press Run to reconnect."
    assert window.banner.label.text() == said
    assert engine_text(window) == "no engine"
    QTest.keyClick(where(window), Qt.Key.Key_Home)
    window.session.tick()
    assert client.host == "" and engine_text(window) == "engine ready"
    assert not window.banner.isVisible()


def test_late_messages_of_the_previous_engine_are_dropped(
    window: MainWindow, client: FakeClient
) -> None:
    name(window, "gpu")
    window.session._put([Hardware(1, 1)])
    client.messages = []
    name(window, "other")
    window.session.tick()
    assert window.session.hardware != Hardware(1, 1)


def test_a_name_that_ssh_would_take_for_an_option_is_refused(
    window: MainWindow, client: FakeClient
) -> None:
    name(window, "-oProxyCommand=id")
    assert window.banner.label.text().startswith("Where '-oProxyCommand=id': use USER@HOST")
    assert client.host == "" and where(window).currentText() == "this machine"


def test_machines_are_remembered_with_the_latest_first(
    window: MainWindow, settings: Settings
) -> None:
    for host in ("one", "two", "one"):
        name(window, host)
    assert settings.hosts == ["one", "two"]
    field = WhereField()
    field.offer(settings.hosts)
    assert listed(field) == ["this machine", "one", "two", "user@host…"]


def test_a_damaged_list_of_machines_is_ignored(settings: Settings) -> None:
    settings.keep("hosts", '["-oProxyCommand=id"]')
    assert settings.hosts == []


def test_the_machine_cannot_be_changed_during_a_run(window: MainWindow, client: FakeClient) -> None:
    window.session.tick()
    window.action("run").trigger()
    assert not where(window).isEnabled()
    client.perform(client.asked[-1])
    while window.session.asking:
        window.session.tick()
    assert where(window).isEnabled()


def test_torchrun_is_only_for_this_machine(window: MainWindow, client: FakeClient) -> None:
    name(window, "gpu")
    form = window.feature(RunFeature).form
    form.set_specification(Specification("ddp", devices="2xcpu", launcher=TORCHRUN))
    assert form.result == "torchrun runs on this machine: choose it under Where."
    assert not window.action("run").isEnabled()


def test_a_missing_device_is_reported_for_the_chosen_machine(
    window: MainWindow, client: FakeClient
) -> None:
    name(window, "gpu")
    client.messages = [replace(GPU, host="gpu")]
    window.session.tick()
    form = window.feature(RunFeature).form
    form.set_specification(Specification("dp", devices="cuda:0,cuda:1"))
    assert form.result == "There is no cuda:1: gpu has cuda:0; CPU lanes are 2xcpu"


def test_the_status_bar_says_that_a_run_is_in_progress_and_where(
    window: MainWindow, client: FakeClient
) -> None:
    window.action("run").trigger()
    assert window.session.asking and engine_text(window) == "running…"
    client.messages = [Ended(Outcome.STOPPED)]
    window.session.tick()
    assert engine_text(window) == "engine ready"
    name(window, "loopback")
    client.messages = [GPU]
    window.session.tick()
    window.action("run").trigger()
    assert engine_text(window) == "running on loopback…"
    client.messages = [Ended(Outcome.FAILED, "gone")]
    window.session.tick()
    assert engine_text(window) == "engine ready on loopback"


def test_a_lost_engine_is_not_called_ready_when_the_form_changes(
    window: MainWindow, client: FakeClient
) -> None:
    name(window, "gpu")
    client.messages = [Ended(Outcome.FAILED, "the machine gpu cannot be reached: No route")]
    window.session.tick()
    window.feature(RunFeature).form.check_now()
    assert engine_text(window) == "no engine"
