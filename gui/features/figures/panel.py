"""Export figure or animation: a dialog with options, a preview, and buttons to save and copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from core.message import N_, error_message
from core.playback.speed import REAL_TIME, SPEEDS, speed_text
from core.trace.excerpt import ExcerptOptions
from gui.app.animation_options import SECONDS, AnimationOptions
from gui.app.figure_options import PRESETS, FigureOptions
from gui.features.compare.chooser import Other
from gui.features.figures.preview import Preview, size_text
from gui.features.figures.wish import Wish
from gui.figures.picture import Picture
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.widgets.fields import WheelGuard, choice, decimal
from gui.widgets.label import Label
from gui.widgets.layouts import button, column, grid, named, row

SHOWN = ""
"""In place of a preset: the timeline as the window shows it."""
ANIMATION = "animation"
"""In place of a preset: the step in slow motion."""
FIELD = 210
SIZE = QSize(1060, 600)
PATIENCE_MS = 120  # from the last change until the preview is drawn
PARTS = {
    "title": (N_("Title"), N_("A line above the picture.")),
    "caption": (N_("Caption"), N_("Words below the picture.")),
    "legend": (N_("Legend"), N_("What the colours and patterns mean.")),
    "axis": (N_("Axis"), N_("The time axis.")),
    "makespan": (N_("Makespan"), N_("How long each step is.")),
    "idle": (N_("Idle time"), N_("How much of the steps each lane is idle.")),
    "totals": (N_("Totals"), N_("Bubble, formula and peak memory, below each run.")),
}
SWITCHES = ("legend", "axis", "makespan", "idle", "totals")
COLOURS = (
    (N_("Preset colours"), "", ""),
    (N_("Colours"), "colours", N_("Colours only, as in the window.")),
    (N_("Colours and patterns"), "patterns", N_("Distinguishable also without colour.")),
    (
        N_("Greyscale"),
        N_("grey"),
        N_("No colour; patterns and letters distinguish the families."),
    ),
)
HATCHING = {"colours": False, "patterns": True}
"""Choices in COLOURS that set whether a figure has patterns."""
MOST_OTHERS = 2  # runs below the run shown
AUTOMATIC, VISIBLE, NAMED = "automatic", "visible", "named"


class FigurePanel(QDialog):
    """A dialog that stays next to the window; `drawn` makes the picture or raises ValueError.

    `save_asked` and `copy_asked` carry the Picture of the preview, which is an AnimationPicture for
    an animation, and `table_asked` the Wish whose runs are tabulated; `changed` is emitted with
    every change of a field.
    """

    save_asked = Signal(object)
    copy_asked = Signal(object)
    table_asked = Signal(object)
    changed = Signal()

    def __init__(self, drawn: Callable[[Wish], Picture], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawn = drawn
        self.picture: Picture | None = None
        self.setWindowTitle(tr("Export figure or animation"))
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timer.timeout.connect(self.draw_now)
        self._build_fields()
        self.preview = Preview()
        self.size_label = Label(look="quiet")
        self.problem = Label(look="problem", wrapped=True)
        self._lay_out()
        self._connect()
        self._follow_preset()
        self.resize(SIZE)

    # Options

    @property
    def wish(self) -> Wish:
        """The request that the fields contain."""
        chosen = self.preset.currentData()
        preset = chosen if chosen in PRESETS else None
        colours = self.colours.currentData()
        part = self.part.currentData()
        named = self.times.text().strip() if part == NAMED else ""
        # Only a range of times has a colon; steps are numbers, commas and dashes.
        steps = named if ":" not in named else ""
        # Printed figures are light: the field is disabled then, but keeps its value.
        theme = self.theme.currentData() if self.theme.isEnabled() else "light"
        # These apply to presets only, but their fields keep their values too.
        font_pt = None
        hatching = None
        greyscale = False
        if preset is not None:
            font_pt = self.font_pt.value() or None
            hatching = HATCHING.get(colours)
            greyscale = colours == "grey"
        switches = {name: self.parts[name].isChecked() for name in SWITCHES}
        options = FigureOptions(
            preset=preset,
            theme=theme,
            width_mm=self.width_mm.value() or None,
            font_pt=font_pt,
            scale=self.scale.value() or None,
            hatching=hatching,
            greyscale=greyscale,
            **switches,
            title=self._words("title"),
            caption=self._words("caption"),
            excerpt=ExcerptOptions("" if steps else named, steps, self.lanes.text().strip()),
        )
        animation = self._animation(options) if self._animated else None
        return Wish(options, part == VISIBLE, self._chosen_others(), animation)

    def _chosen_others(self) -> tuple[Other, ...]:
        """Return the runs below the run shown, each once; an animation has at most one."""
        choosers = self.others[:1] if self._animated else self.others
        others: dict[int, Other] = {}
        for chooser in choosers:
            other = chooser.currentData()
            if isinstance(other, Other):
                others[id(other.trace)] = other
        return tuple(others.values())

    def offer(self, others: Sequence[Other], chosen: Sequence[Other]) -> None:
        """List the runs that can be drawn below the run shown, and choose some of them."""
        titles = {other.title: other for other in (*chosen, *others)}
        for place, chooser in enumerate(self.others):
            chooser.blockSignals(True)
            chooser.clear()
            chooser.addItem(tr("none"), None)
            for title, other in titles.items():
                chooser.addItem(title, other)
                chooser.setItemData(chooser.count() - 1, title, Qt.ItemDataRole.ToolTipRole)
            wanted = chosen[place].title if place < len(chosen) else ""
            chooser.setCurrentIndex(max(0, chooser.findText(wanted)))
            chooser.blockSignals(False)
        self._follow_preset()

    def set_options(self, options: FigureOptions) -> None:
        """Fill all fields except the fields of one run."""
        self.preset.setCurrentIndex(max(0, self.preset.findData(options.preset or SHOWN)))
        self.theme.setCurrentIndex(max(0, self.theme.findData(options.theme)))
        self.width_mm.setValue(options.width_mm or 0.0)
        self.font_pt.setValue(options.font_pt or 0.0)
        self.scale.setValue(options.scale or 0.0)
        colours = ""
        for name, hatching in HATCHING.items():
            if hatching is options.hatching:
                colours = name
        if options.greyscale:
            colours = "grey"
        self.colours.setCurrentIndex(max(0, self.colours.findData(colours)))
        for name in SWITCHES:
            self.parts[name].setChecked(getattr(options, name))
        for name in ("title", "caption"):
            text = getattr(options, name)
            self.parts[name].setChecked(text != "")
            self.words[name].setText(text or "")

    def draw_now(self) -> None:
        """Draw the preview, or show the reason why there is none."""
        # It is drawn now, not again later.
        self._timer.stop()
        try:
            self.picture = self._drawn(self.wish)
        except ValueError as error:
            self.picture = None
            self.problem.setText(plain(translated(error_message(error))))
        self.problem.setVisible(self.picture is None)
        self.preview.show_picture(self.picture)
        self.size_label.setText(size_text(self.picture))
        self.save.setEnabled(self.picture is not None)
        self.copy.setEnabled(self.picture is not None and not self._animated)

    def show_problem(self, text: str) -> None:
        """Show why a file was not written, until something is changed."""
        self.problem.setText(text)
        self.problem.show()

    # Building

    def _build_fields(self) -> None:
        entries = [(tr(preset.title), preset.name, "") for preset in PRESETS.values()]
        animation = tr("Animation"), ANIMATION, tr("The step in slow motion, as GIF or WebP.")
        self.preset = choice([(tr("As shown in the window"), SHOWN, ""), *entries, animation])
        self.part = choice(
            [
                (tr("Chosen for the figure"), AUTOMATIC, tr("The median step, or the last steps.")),
                (tr("What is visible"), VISIBLE, tr("Exactly the time on screen.")),
                (tr("Steps or times…"), NAMED, tr("Named in the field below.")),
            ]
        )
        self.others = [choice([(tr("none"), "", "")]) for _ in range(MOST_OTHERS)]
        self.times = QLineEdit(placeholderText=tr("3, 2-4 or 10ms:40ms"))
        self.lanes = QLineEdit(placeholderText=tr("all; or 0-3, cpu:1"))
        self.theme = choice([(tr("Light"), "light", ""), (tr("Dark"), "dark", "")])
        self.colours = choice([(tr(title), value, tr(line)) for title, value, line in COLOURS])
        self.width_mm = decimal(2000.0, 0, 1.0, tr("usual"), tr(" mm"))
        self.font_pt = decimal(60.0, 1, 0.5, tr("usual"), tr(" pt"))
        self.scale = decimal(20.0, 2, 0.5, tr("usual"))
        self.scale.setPrefix("× ")
        self.scale.setToolTip(tr("Pixels of a PNG or an animation for each 1/96 inch."))
        self.seconds = decimal(SECONDS[1], 1, 1.0, tr("usual"), tr(" s"))
        self.seconds.setToolTip(tr("How long the animation takes; usually 8 s."))
        self.speed = choice([(tr("from the duration"), "", ""), *_speeds()])
        self.speed.setToolTip(tr("The share of real time at which the animation goes."))
        self.parts = {name: QCheckBox(tr(title)) for name, (title, _) in PARTS.items()}
        for name, box in self.parts.items():
            box.setChecked(True)
            box.setToolTip(tr(PARTS[name][1]))
        self.words: dict[str, QLineEdit] = {}
        for name in ("title", "caption"):
            title, _ = PARTS[name]
            field = QLineEdit(placeholderText=tr("made from the run"))
            self.words[name] = named(field, tr(title))
        self._build_buttons()

    def _build_buttons(self) -> None:
        save = partial(self._hand_out, self.save_asked)
        self.save = button(QPushButton, tr("Save…"), "", save)
        self.save.setDefault(True)
        tip = tr("Put it on the clipboard, as an image and as SVG.")
        copy = partial(self._hand_out, self.copy_asked)
        self.copy = button(QPushButton, tr("Copy"), tip, copy)
        tip = tr("Write step, bubble, memory and throughput of each run as a table.")
        self.table = button(QPushButton, tr("Table…"), tip, self._ask_for_table)

    def _lay_out(self) -> None:
        self._form = form = QFormLayout(verticalSpacing=6)
        fields = (
            (tr("Figure"), self.preset),
            (tr("Second run"), self.others[0]),
            (tr("Third run"), self.others[1]),
            (tr("Time"), self.part),
            ("", self.times),
            (tr("Lanes"), self.lanes),
            (tr("Colours"), self.colours),
            (tr("Theme"), self.theme),
            (tr("Width"), self.width_mm),
            (tr("Text"), self.font_pt),
            (tr("Scale"), self.scale),
            (tr("Duration"), self.seconds),
            (tr("Speed"), self.speed),
        )
        for title, field in fields:
            field.setAccessibleName(title or tr("Steps or times"))
            WheelGuard(field)
            field.setMinimumWidth(FIELD)
            form.addRow(title, field)
        for spin in (self.width_mm, self.font_pt, self.scale, self.seconds):
            spin.lineEdit().setTextMargins(4, 0, 0, 0)  # as far in as a drop-down list's text
        parts = grid(down=5)
        parts.setColumnStretch(1, 1)
        for number, name in enumerate(("title", "caption")):
            parts.addWidget(self.parts[name], number, 0)
            parts.addWidget(self.words[name], number, 1)
        for number, name in enumerate(SWITCHES):
            parts.addWidget(self.parts[name], 2 + number // 2, number % 2)
        left = column(form, 6, parts, None, self.problem)
        buttons = row(self.size_label, self.table, self.copy, self.save, growing=self.size_label)
        right = column(self.preview, buttons, growing=self.preview)
        row(left, right, of=self, growing=right, margins=(14, 12, 14, 12), spacing=14)

    def _connect(self) -> None:
        choices = (self.preset, *self.others, self.part, self.theme, self.colours, self.speed)
        for chooser in choices:
            chooser.currentIndexChanged.connect(self._change)
        for number in (self.width_mm, self.font_pt, self.scale, self.seconds):
            number.valueChanged.connect(self._change)
        for line in (self.times, self.lanes, *self.words.values()):
            line.textChanged.connect(self._change)
        for box in self.parts.values():
            box.toggled.connect(self._change)

    def _hand_out(self, signal: SignalInstance) -> None:
        self.draw_now()  # the text fields may be newer than the preview
        if self.picture is not None:
            signal.emit(self.picture)

    def _ask_for_table(self) -> None:
        self.table_asked.emit(self.wish)

    def _change(self, *_: object) -> None:
        self._follow_preset()
        self.changed.emit()
        self._timer.start()

    def _follow_preset(self) -> None:
        """Disable the fields that do not apply to the figure; only animations take time."""
        preset = PRESETS.get(self.preset.currentData())
        animated = self._animated
        self.times.setEnabled(self.part.currentData() == NAMED)
        self.theme.setEnabled(preset is None or not preset.printed)
        self.colours.setEnabled(preset is not None)
        self.font_pt.setEnabled(preset is not None)
        self.lanes.setEnabled(preset is not None or animated)
        self.parts["totals"].setEnabled(preset is not None)
        second, third = self.others
        second.setEnabled(second.count() > 1)
        third.setEnabled(third.count() > 1 and not animated)
        for timed in (self.seconds, self.speed):
            self._form.setRowVisible(timed, animated)
        self.seconds.setEnabled(not self.speed.currentData())
        for name, field in self.words.items():
            field.setEnabled(self.parts[name].isChecked())
        made = tr("made from the run") if preset is not None else tr("none")
        self.words["caption"].setPlaceholderText(made)
        kinds = tr("Write it as GIF or WebP.") if animated else tr("Write it as PNG, SVG or PDF.")
        self.save.setToolTip(kinds)

    @property
    def _animated(self) -> bool:
        return bool(self.preset.currentData() == ANIMATION)

    def _animation(self, options: FigureOptions) -> AnimationOptions:
        speed = self.speed.currentData()
        if speed:
            return AnimationOptions(options, speed=float(speed))
        return AnimationOptions(options, seconds=self.seconds.value() or None)

    def _words(self, name: str) -> str | None:
        """Return the user's text; None for the text made from the run, "" for no text."""
        if not self.parts[name].isChecked():
            return ""
        return self.words[name].text().strip() or None


def _speeds() -> list[tuple[str, str, str]]:
    """Return the entries of the list of speeds."""
    entries = []
    for speed in SPEEDS:
        title = tr("real time") if speed == REAL_TIME else speed_text(speed)
        entries.append((title, str(speed), ""))
    return entries


def plain(message: str) -> str:
    """Return a message of core as a sentence, without the dashes of the command line."""
    text = message.removeprefix("--").replace(" --", " ")
    return text[:1].upper() + text[1:]
