"""Dialog to listen for a training job: address, lines for its script, connected ranks."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFontDatabase, QGuiApplication, QHideEvent, QShowEvent, QTextOption
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.job.client import JobClient, JobStatus, Peer
from core.job.remote import RemoteJobClient
from core.override import override
from core.plain import plain
from core.recorder.wire import record_command
from core.trace.source import Source
from gui.app.run import unsavable_text
from gui.app.session import Session
from gui.app.settings import Settings
from gui.look.core_texts import translated
from gui.look.text import duration_text, ntr, problem_text, tr
from gui.widgets.label import Label
from gui.widgets.layouts import NO_MARGINS, button, column, named, row, widget_of
from gui.widgets.tables import dress_tree
from gui.widgets.where import WhereField

LOOPBACK = "127.0.0.1"
LOCAL = (LOOPBACK, "localhost", "::1")
REFRESH_MS = 250
WIDTH = 800
BUTTON = 140
WHERE_LETTERS = 18
MOST_NAME = 100
"""Characters of a machine's name that are shown; a name in the DNS has at most 255."""
SCRIPT = 'from bubblescope import record\nwith record(model, optimizer, out="{address}"):'
COMMAND = "{record} -- torchrun --nproc-per-node 2 train.py"


class ListenDialog(QDialog):
    """A non-modal dialog; listening continues when it is closed."""

    def __init__(self, parent: QWidget, session: Session, settings: Settings) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self.setWindowTitle(tr("Listen for a training job"))
        self.where = named(WhereField(), tr("Where"))
        self.where.setToolTip(tr("The machine that runs the job."))
        self.host = named(QLineEdit(LOOPBACK), tr("Address to listen on"))
        self.port = named(QSpinBox(maximum=65535), tr("Port to listen on"))
        self.port.setSpecialValueText(tr("any port"))
        self.problem = Label(look="problem", wrapped=True)
        self.problem.hide()
        self.about = Label(wrapped=True)
        self.status = Label(wrapped=True)
        self.script = _code(tr("Lines for the script"), 3)
        self.command = _code(tr("Command"), 2)
        self.ranks = QTreeWidget()
        heads = [tr("Rank"), tr("Machine"), tr("State"), tr("Steps"), tr("Clock")]
        dress_tree(self.ranks, tr("Ranks that have connected"), heads, 1)
        tip = tr("Record training jobs that connect to this address.")
        self.begin_button = button(QPushButton, tr("Listen"), tip, self.toggle)
        self._build()
        self.where.chosen.connect(self._choose)
        self.where.refused.connect(self.problem.say)
        self._timer = QTimer(self, interval=REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self.refresh()

    def toggle(self) -> None:
        """Start or stop listening."""
        self.problem.say("")
        if self._session.job_client is not None:
            self._session.listen_to(None)
        elif self.where.host:
            self._listen_there(self.where.host)
        else:
            self._listen_here()
        self.refresh()

    def refresh(self) -> None:
        """Update everything that is shown."""
        client = self._session.job_client
        is_on = client is not None
        where = None if client is None else client.where
        self.begin_button.setText(tr("Stop listening") if is_on else tr("Listen"))
        for field in (self.where, self.host, self.port):
            field.setEnabled(not is_on)
        self.address.setVisible(not self.where.host)
        self.status.setVisible(is_on)
        was_on = self.ranks.isVisibleTo(self)
        for part in (self.instructions, self.ranks):
            part.setVisible(where is not None)
        if was_on and where is None:
            self.adjustSize()
        self.about.setText(_about(self.where.host, self._host_here))
        if client is None:
            return
        if where is None:
            self.status.setText(tr("Connecting to {host}…", host=client.host))
            return
        script = SCRIPT.format(address=where.with_token)
        command = COMMAND.format(record=record_command(where))
        for code, words in ((self.script, script), (self.command, command)):
            # Setting the same text again would clear a selection that the user wants to copy.
            if code.toPlainText() != words:
                code.setPlainText(words)
        status = client.status()
        self.status.setText(_status(status))
        problems = [translated(status.problem)]
        # The banner shows the same, but this dialog may cover it.
        for run in self._session.runs[-1:]:
            if run.trace.header.source is Source.JOB:
                problems.append(unsavable_text(run))
        self.problem.say("\n".join(filter(None, problems)))
        self._list(status.peers)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        self.where.offer(self._settings.hosts)
        self._timer.start()
        self.refresh()
        super().showEvent(event)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)

    @property
    def _host_here(self) -> str:
        """The typed address to listen on; the brackets of an IPv6 address are removed."""
        return self.host.text().strip().strip("[]")

    def _listen_here(self) -> None:
        try:
            self._session.listen_to(JobClient(self._host_here, self.port.value()))
        except OSError as error:
            reason = problem_text(error)
            self.problem.say(tr("Cannot listen on this address. {reason}", reason=reason))

    def _listen_there(self, host: str) -> None:
        try:
            self._session.listen_to(RemoteJobClient(host))
        except OSError as error:
            self.problem.say(problem_text(error))

    def _choose(self, host: str) -> None:
        """Choose the machine on which Listen will listen; "" is this machine."""
        self.problem.say("")
        if host:
            self._settings.remember_host(host)
        self.refresh()

    def _list(self, peers: tuple[Peer, ...]) -> None:
        while self.ranks.topLevelItemCount() > len(peers):
            self.ranks.takeTopLevelItem(len(peers))
        for place, peer in enumerate(peers):
            # Items are updated: with new items, the selection and the scroll bar would jump.
            item = self.ranks.topLevelItem(place)
            if item is None:
                item = QTreeWidgetItem(self.ranks)
            for at, text in enumerate(_cells(peer)):
                item.setText(at, text)

    def _build(self) -> None:
        fields = (Label(tr("Address")), self.host, self.port)
        self.address = widget_of(row(*fields, growing=self.host, margins=NO_MARGINS))
        # It keeps its space when it is hidden, so that the parts next to it do not move.
        policy = self.address.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.address.setSizePolicy(policy)
        where = Label(tr("Where"))
        place = row(where, self.where, self.address, self.begin_button, growing=self.address)
        lines = column(
            Label(tr("Put these lines into the script, around its training loop:")),
            _copied(self.script, tr("Copy the lines for the script")),
            Label(tr("Or start the job like this, without changing its script:")),
            _copied(self.command, tr("Copy the command")),
            margins=NO_MARGINS,
            spacing=6,
        )
        self.instructions = widget_of(lines)
        tip = tr("Close this window; listening continues.")
        close = button(QPushButton, tr("Close"), tip, self.close)
        # Return in the address field presses Listen, the default button.
        close.setAutoDefault(False)
        self.begin_button.setDefault(True)
        self.begin_button.setMinimumWidth(BUTTON)
        self.port.setMinimumWidth(BUTTON)
        self.where.setMinimumContentsLength(WHERE_LETTERS)
        parts = (place, self.problem, self.about, self.instructions, self.status, self.ranks)
        column(
            *parts,
            row(None, close),
            of=self,
            margins=(16, 14, 16, 12),
            spacing=10,
        )
        self.ranks.setMinimumHeight(110)
        self.setMinimumWidth(WIDTH)


def _about(there: str, here: str) -> str:
    """Return a sentence on the jobs that can connect, to host `there` or to address `here`."""
    if there:
        return tr(
            "Only jobs on {host} that know this address can connect. What they send arrives here "
            "through ssh.",
            host=there,
        )
    if here in LOCAL:
        return tr("Only jobs on this machine that know this address can connect.")
    return tr(
        "Jobs on other machines can connect if they know the token in the address. What they "
        "send is not encrypted: listen on a network that you trust."
    )


def _status(status: JobStatus) -> str:
    """Return a text on connected ranks, steps that were left out, and refused connections."""
    lines = [_connected(status)]
    if status.left_out:
        lines.append(
            tr(
                "Steps left out because not every rank has sent them: {count}.",
                count=status.left_out,
            )
        )
    if status.refused:
        lines.append(tr("Connections that were refused: {count}.", count=status.refused))
    return " ".join(lines)


def _connected(status: JobStatus) -> str:
    """Return how many ranks are connected; after the end of the job, its number of steps."""
    if not status.peers:
        return tr("No job has connected yet.")
    here = sum(peer.is_here for peer in status.peers)
    if here == 0 and len(status.peers) == status.world:
        ranks = ntr("{n:,} rank", "{n:,} ranks", status.world)
        steps = min(peer.steps for peer in status.peers)
        recorded = ntr("{n} step recorded", "{n} steps recorded", steps)
        return tr("The job has ended: {ranks}, {steps}.", ranks=ranks, steps=recorded)
    return tr("{here} of {world} ranks are connected.", here=here, world=status.world)


def _cells(peer: Peer) -> tuple[str, ...]:
    state = tr("connected") if peer.is_here else tr("ended")
    return str(peer.rank), _host(peer), state, f"{peer.steps:,}", _clock(peer)


def _host(peer: Peer) -> str:
    """Return the name of a rank's machine, on one line and shortened to MOST_NAME characters."""
    name = plain(peer.host)
    return name if len(name) <= MOST_NAME else f"{name[:MOST_NAME]}…"


def _clock(peer: Peer) -> str:
    """Return the uncertainty of a rank's times, if it is known."""
    if math.isinf(peer.half_width):
        return tr("not compared")
    time = duration_text(peer.half_width)
    return tr("± {time} at the beginning", time=time) if peer.drifts else tr("± {time}", time=time)


def _code(name: str, lines: int) -> QPlainTextEdit:
    """Return a read-only field, `lines` high, for text to copy."""
    field = named(QPlainTextEdit(readOnly=True, tabChangesFocus=True), name)
    field.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
    field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    field.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    field.setFixedHeight(lines * field.fontMetrics().lineSpacing() + 14)
    return field


def _copied(field: QPlainTextEdit, tip: str) -> QWidget:
    """Return a field with a button that copies its text."""

    def put() -> None:
        QGuiApplication.clipboard().setText(field.toPlainText())

    copy = button(QPushButton, tr("Copy"), tip, put)
    copy.setAutoDefault(False)
    return widget_of(
        row(
            field,
            copy,
            growing=field,
            margins=NO_MARGINS,
            spacing=8,
        )
    )
