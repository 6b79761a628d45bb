"""The Where field: this machine, or a machine that ssh reaches."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QInputDialog

from core.errors import PlanError
from core.message import error_message
from core.process.ssh import checked_host
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.widgets.fields import Choice

HERE = ""
"""The value of the field for this machine, in place of a host's name."""
_ASK = "?"
"""Data of the item that asks for a host; no host has this name."""


class WhereField(Choice):
    """A list of machines. `chosen` carries the host that the user picked; HERE for this machine.

    `refused` carries the reason why a typed name is not accepted.
    """

    chosen = Signal(str)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._host = HERE
        self.offer([])
        self.activated.connect(self._activate)

    @property
    def host(self) -> str:
        """The host that is shown."""
        return self._host

    def offer(self, hosts: Sequence[str]) -> None:
        """List these hosts, between this machine and the item that asks for another one."""
        self.clear()
        self.addItem(tr("this machine"), HERE)
        for host in hosts:
            self.addItem(host, host)
        self.addItem(tr("user@host…"), _ASK)
        self.show_host(self._host)

    def show_host(self, host: str) -> None:
        """Show a host, adding it to the list if it is not offered."""
        self._host = host
        if self.findData(host) < 0:
            self.insertItem(1, host, host)
        self.setCurrentIndex(self.findData(host))

    def _activate(self, index: int) -> None:
        host = str(self.itemData(index))
        if host == _ASK:
            # The list must not show the item itself while the user types, or after Cancel.
            self.show_host(self._host)
            self._ask()
        else:
            self._choose(host)

    def _choose(self, host: str) -> None:
        if host != self._host:
            self.show_host(host)
            self.chosen.emit(host)

    def _ask(self) -> None:
        dialog = QInputDialog(self.window())
        dialog.setWindowTitle(tr("Another machine"))
        accepted = tr("USER@HOST, or a name of your ssh configuration.")
        requirement = tr("Logging in must not need a password.")
        dialog.setLabelText(f"{accepted} {requirement}")
        dialog.textValueSelected.connect(self._choose_typed)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _choose_typed(self, text: str) -> None:
        try:
            host = checked_host(tr("Where"), text.strip())
        except PlanError as error:
            self.refused.emit(translated(error_message(error)))
            return
        self._choose(host)
