"""Export figure or animation: a dialog with options, a preview, and buttons to save and copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from core.message import error_message
from core.trace.excerpt import ExcerptOptions
from gui.app.animation_options import SECONDS, AnimationOptions
from gui.app.figure_options import PRESETS, FigureOptions
from gui.features.compare.chooser import Other
from gui.features.figures import choices
from gui.features.figures.choices import (
    ANIMATION,
    HATCHING,
    NAMED,
    PARTS,
    SHOWN,
    SWITCHES,
    VISIBLE,
)
from gui.features.figures.preview import Preview, size_text
from gui.features.figures.wish import Wish
from gui.figures.picture import Picture
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.widgets.fields import WheelGuard, choice, decimal
from gui.widgets.label import Label
from gui.widgets.layouts import button, column, grid, named, row

FIELD = 210
SIZE = QSize(1060, 600)
PATIENCE_MS = 120  # from the last change until the preview is drawn
MOST_OTHERS = 2  # runs below the run shown


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
        """The request that the fields describe."""
        chosen = self.preset.currentData()
        preset = chosen if chosen in PRESETS else None
        part = self.part.currentData()
        # Printed figures are light: the field is disabled then, but keeps its value.
        theme = self.theme.currentData() if self.theme.isEnabled() else "light"
        # These apply to presets only, but their fields keep their values too.
        font_pt = None
        hatching = None
        greyscale = False
        if preset is not None:
            colours = self.colours.currentData()
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
            excerpt=self._excerpt(),
        )
        animation = self._animation(options) if self._animated else None
        return Wish(options, part == VISIBLE, self._chosen_others(), animation)

    def _excerpt(self) -> ExcerptOptions:
        """Return the lanes, and the steps or the time that the user named."""
        lanes = self.lanes.text().strip()
        named = ""
        if self.part.currentData() == NAMED:
            named = self.times.text().strip()
        # Only a range of times has a colon; steps are numbers, commas and dashes.
        if ":" in named:
            return ExcerptOptions(range=named, lanes=lanes)
        return ExcerptOptions(steps=named, lanes=lanes)

    def _chosen_others(self) -> tuple[Other, ...]:
        """Return the other runs that were chosen, each once; an animation has at most one."""
        choosers = self.others[:1] if self._animated else self.others
        others: dict[int, Other] = {}
        for chooser in choosers:
            other = chooser.currentData()
            if isinstance(other, Other):
                others[id(other.trace)] = other
        return tuple(others.values())

    def offer(self, others: Sequence[Other], chosen: Sequence[Other]) -> None:
        """List the runs that can be drawn below the run shown, and select the `chosen` ones."""
        titles = {other.title: other for other in (*chosen, *others)}
        for place, chooser in enumerate(self.others):
            chooser.blockSignals(True)
            chooser.clear()
            chooser.addItem(tr("none"), None)
            for title, other in titles.items():
                chooser.addItem(title, other)
                last = chooser.count() - 1
                chooser.setItemData(last, title, Qt.ItemDataRole.ToolTipRole)
            wanted = ""
            if place < len(chosen):
                wanted = chosen[place].title
            index = chooser.findText(wanted)
            chooser.setCurrentIndex(max(0, index))
            chooser.blockSignals(False)
        self._follow_preset()

    def set_options(self, options: FigureOptions) -> None:
        """Fill all fields except those whose values suit only one run."""
        _choose(self.preset, options.preset or SHOWN)
        _choose(self.theme, options.theme)
        self.width_mm.setValue(options.width_mm or 0.0)
        self.font_pt.setValue(options.font_pt or 0.0)
        self.scale.setValue(options.scale or 0.0)
        colours = ""
        for name, hatching in HATCHING.items():
            if hatching is options.hatching:
                colours = name
        if options.greyscale:
            colours = "grey"
        _choose(self.colours, colours)
        for name in SWITCHES:
            is_shown = getattr(options, name)
            self.parts[name].setChecked(is_shown)
        for name in ("title", "caption"):
            text = getattr(options, name)
            self.parts[name].setChecked(text != "")
            self.words[name].setText(text or "")

    def draw_now(self) -> None:
        """Draw the preview, or show why there is none."""
        # Otherwise a pending timer would draw it a second time.
        self._timer.stop()
        try:
            self.picture = self._drawn(self.wish)
        except ValueError as error:
            self.picture = None
            reason = translated(error_message(error))
            self.problem.setText(plain(reason))
        has_picture = self.picture is not None
        self.problem.setVisible(not has_picture)
        self.preview.show_picture(self.picture)
        self.size_label.setText(size_text(self.picture))
        self.save.setEnabled(has_picture)
        self.copy.setEnabled(has_picture and not self._animated)

    def show_problem(self, text: str) -> None:
        """Show why a file was not written, until the preview is drawn again."""
        self.problem.setText(text)
        self.problem.show()

    # Building

    def _build_fields(self) -> None:
        self.preset = choice(choices.presets())
        self.part = choice(choices.times())
        no_run = (tr("none"), "", "")
        self.others = [choice([no_run]) for _ in range(MOST_OTHERS)]
        self.times = QLineEdit(placeholderText=tr("3, 2-4 or 10ms:40ms"))
        self.lanes = QLineEdit(placeholderText=tr("all; or 0-3, cpu:1"))
        self.theme = choice(choices.themes())
        self.colours = choice(choices.colours())
        self.width_mm = decimal(2000.0, 0, 1.0, tr("usual"), tr(" mm"))
        self.font_pt = decimal(60.0, 1, 0.5, tr("usual"), tr(" pt"))
        self.scale = decimal(20.0, 2, 0.5, tr("usual"))
        self.scale.setPrefix("× ")
        self.scale.setToolTip(tr("Pixels of a PNG or an animation for each 1/96 inch."))
        _, longest = SECONDS
        self.seconds = decimal(longest, 1, 1.0, tr("usual"), tr(" s"))
        self.seconds.setToolTip(tr("How long the animation takes; usually 8 s."))
        self.speed = choice(choices.speeds())
        self.speed.setToolTip(tr("The speed of the animation as a share of real time."))
        self._build_parts()
        self._build_buttons()

    def _build_parts(self) -> None:
        """Make a box for each part of a figure, and the fields for the user's own words."""
        self.parts: dict[str, QCheckBox] = {}
        for name, (title, tip) in PARTS.items():
            box = QCheckBox(tr(title))
            box.setChecked(True)
            box.setToolTip(tr(tip))
            self.parts[name] = box
        self.words: dict[str, QLineEdit] = {}
        for name in ("title", "caption"):
            title, _ = PARTS[name]
            field = QLineEdit(placeholderText=tr("made from the run"))
            self.words[name] = named(field, tr(title))

    def _build_buttons(self) -> None:
        save = partial(self._hand_out, self.save_asked)
        self.save = button(QPushButton, tr("Save…"), "", save)
        self.save.setDefault(True)
        tip = tr("Copy it to the clipboard, as an image and as SVG.")
        copy = partial(self._hand_out, self.copy_asked)
        self.copy = button(QPushButton, tr("Copy"), tip, copy)
        tip = tr("Write step, bubble, memory and throughput of each run as a table.")
        self.table = button(QPushButton, tr("Table…"), tip, self._ask_for_table)

    def _lay_out(self) -> None:
        form = QFormLayout(verticalSpacing=6)
        self._form = form
        second, third = self.others
        fields = (
            (tr("Figure"), self.preset),
            (tr("Second run"), second),
            (tr("Third run"), third),
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
            line, place = divmod(number, 2)
            parts.addWidget(self.parts[name], 2 + line, place)
        left = column(form, 6, parts, None, self.problem)
        buttons = row(
            self.size_label,
            self.table,
            self.copy,
            self.save,
            growing=self.size_label,
        )
        right = column(self.preview, buttons, growing=self.preview)
        row(
            left,
            right,
            of=self,
            growing=right,
            margins=(14, 12, 14, 12),
            spacing=14,
        )

    def _connect(self) -> None:
        choosers = (
            self.preset,
            *self.others,
            self.part,
            self.theme,
            self.colours,
            self.speed,
        )
        for chooser in choosers:
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
        """Disable the fields that do not apply; only animations have a duration and a speed."""
        preset = PRESETS.get(self.preset.currentData())
        is_preset = preset is not None
        is_printed = preset is not None and preset.printed
        animated = self._animated
        self.times.setEnabled(self.part.currentData() == NAMED)
        self.theme.setEnabled(not is_printed)
        self.colours.setEnabled(is_preset)
        self.font_pt.setEnabled(is_preset)
        self.lanes.setEnabled(is_preset or animated)
        self.parts["totals"].setEnabled(is_preset)
        second, third = self.others
        second.setEnabled(second.count() > 1)
        third.setEnabled(third.count() > 1 and not animated)
        for timed in (self.seconds, self.speed):
            self._form.setRowVisible(timed, animated)
        has_speed = bool(self.speed.currentData())
        self.seconds.setEnabled(not has_speed)
        for name, field in self.words.items():
            field.setEnabled(self.parts[name].isChecked())
        made = tr("made from the run") if is_preset else tr("none")
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
        seconds = self.seconds.value() or None
        return AnimationOptions(options, seconds=seconds)

    def _words(self, name: str) -> str | None:
        """Return the user's text; None for the text made from the run, "" for no text."""
        if not self.parts[name].isChecked():
            return ""
        text = self.words[name].text().strip()
        return text or None


def _choose(chooser: QComboBox, value: str) -> None:
    """Choose the entry with a value, or the first one."""
    index = chooser.findData(value)
    chooser.setCurrentIndex(max(0, index))


def plain(message: str) -> str:
    """Return a message of core as a sentence, without the dashes of the command line."""
    text = message.removeprefix("--").replace(" --", " ")
    return text[:1].upper() + text[1:]
