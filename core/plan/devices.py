"""What kinds of devices can do, and what of them a machine has. Without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.plan.plan import Lane
from core.recorder.kinds import CUDA, GLOO, HOST, KINDS, DeviceKind, kind_of

__all__ = [
    "CUDA", "GLOO", "HOST", "KINDS", "PREDICTED", "Accelerator", "DeviceKind", "Hardware",
    "kind_of", "process_group",
]  # fmt: skip

PREDICTED = CUDA
"""The kind of devices that are only predicted, unless one is named."""


def process_group(lanes: Sequence[Lane]) -> str | None:
    """The process group that ranks on `lanes` meet in, as in DeviceKind.

    NCCL, for one, refuses two ranks on one device.
    """
    kind = kind_of(lanes[0].device)
    has_own = len({lane.device for lane in lanes}) == len(lanes)
    return kind.group if has_own else kind.shared_group


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A device beside the CPU, as torch lists it; `memory` is in bytes, 0 if unknown."""

    device: str
    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class Hardware:
    """What this machine has: usable CPU cores, memory in bytes, and accelerators."""

    cores: int
    memory: int
    accelerators: tuple[Accelerator, ...] = ()

    @property
    def devices(self) -> list[str]:
        """The names of its devices, the CPU's first."""
        return [HOST.name, *(accelerator.device for accelerator in self.accelerators)]
