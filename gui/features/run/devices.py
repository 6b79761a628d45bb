"""The Lanes field: devices in words, or typed as on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox

from core.errors import PlanError
from core.plan.devices import HOST, Hardware
from core.plan.lanes import lane_devices
from gui.app.setting_names import devices_title, short_devices_title
from gui.look.text import tr
from gui.widgets.fields import LEAST_WIDTH, Choice

AUTO = "auto"
COUNTS = (2, 4, 8)
POPUP_MARGIN = 12  # pixels, so that the longest item is not elided
LINE_MARGINS = 6  # pixels at both sides of the text, together, with room for the cursor


class DeviceField(Choice):
    """An editable list; each item shows devices in words and has their `--devices` text as data.

    The words are short, because they are next to the label Lanes. Tooltips have the full words.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.currentIndexChanged.connect(self._fit_title)

    @property
    def value(self) -> str:
        """The `--devices` text of the item shown, or the text that was typed."""
        typed = self.currentText().strip()
        item = self.findText(typed)
        return typed if item < 0 else str(self.itemData(item))

    def take(self, devices: str) -> None:
        """Show a `--devices` text, adding it to the list if it is not offered."""
        if self.findData(devices) < 0:
            self._add(short_devices_title(devices), devices)
        self.setCurrentIndex(self.findData(devices))
        line = self.lineEdit()
        if line is not None:
            line.home(False)  # a narrow field shows the start of a long title

    def offer(self, hardware: Hardware) -> None:
        """List the devices of a machine; keep the current value."""
        value = self.value
        # This also clears the text that the user typed, so its value was read before.
        self.clear()
        for devices in device_choices(hardware):
            is_auto = devices == AUTO
            title = automatic_title(hardware) if is_auto else short_devices_title(devices)
            self._add(title, devices)
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + POPUP_MARGIN)
        if self.findData(value) < 0:
            self.setEditText(value)
        else:
            self.take(value)

    def _add(self, title: str, devices: str) -> None:
        self.addItem(title, devices)
        tip = devices_title(devices)
        self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def _fit_title(self) -> None:
        """Make the field wide enough for its title; a narrow form then puts fields below labels."""
        title = self.itemText(self.currentIndex())
        text_size = self.fontMetrics().size(Qt.TextFlag.TextSingleLine, title)
        text_size.setWidth(text_size.width() + LINE_MARGINS)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        kind = QStyle.ContentsType.CT_ComboBox
        needed = self.style().sizeFromContents(kind, option, text_size, self).width()
        self.setMinimumWidth(max(LEAST_WIDTH, needed))


def device_choices(hardware: Hardware) -> Sequence[str]:
    """Return the `--devices` texts that the field offers on a machine."""
    accelerators = hardware.devices[1:]
    together = [",".join(accelerators)] if len(accelerators) > 1 else []
    shared = [f"2x{accelerators[0]}"] if accelerators else []
    virtual = [f"{count}xvirtual" for count in COUNTS]
    on_host = [f"{count}x{HOST.name}" for count in (1, *COUNTS)]
    return [AUTO, *together, *accelerators, *shared, *virtual, *on_host]


def automatic_title(hardware: Hardware) -> str:
    """Return `auto` with the devices that it means on a machine."""
    try:
        devices = lane_devices(AUTO, hardware)
    except PlanError:
        return devices_title(AUTO)
    if set(devices) == {HOST.name}:
        meant = short_devices_title(f"{len(devices)}x{HOST.name}")
    elif len(devices) > 1 and len(set(devices)) == 1:
        meant = short_devices_title(f"{len(devices)}x{devices[0]}")
    else:
        meant = ", ".join(devices)
    return tr("auto: {devices}", devices=meant)
