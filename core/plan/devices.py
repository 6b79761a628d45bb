"""Kinds of devices, and the devices of a machine. Without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.message import Text, message
from core.plan.plan import Lane
from core.recorder.kinds import CUDA, GLOO, HOST, KINDS, DeviceKind, device_kind

__all__ = [
    "CUDA",
    "GLOO",
    "HOST",
    "KINDS",
    "PREDICTED",
    "Accelerator",
    "DeviceKind",
    "Hardware",
    "device_kind",
    "process_group",
]

PREDICTED = CUDA
"""The default kind of devices in predictions."""


def process_group(lanes: Sequence[Lane]) -> str | None:
    """Return the process group for ranks on `lanes`, as in DeviceKind; None if there is none.

    The group differs if ranks share a device: NCCL, for example, refuses two ranks on one device.
    """
    kind = device_kind(lanes[0].device)
    has_own = len({lane.device for lane in lanes}) == len(lanes)
    return kind.group if has_own else kind.shared_group


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A device other than the CPU, as torch lists it; `memory` is in bytes, 0 if unknown."""

    device: str
    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class Hardware:
    """Usable CPU cores, memory in bytes, and accelerators of a machine.

    `host` is its name as the user gave it to ssh, "" for this machine.
    """

    cores: int
    memory: int
    accelerators: tuple[Accelerator, ...] = ()
    host: str = ""

    @property
    def machine(self) -> Text:
        """Name of the machine, for messages."""
        return self.host or message("this machine")

    @property
    def devices(self) -> list[str]:
        """The names of the machine's devices, the CPU first."""
        return [HOST.name, *(accelerator.device for accelerator in self.accelerators)]
