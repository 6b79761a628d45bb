"""The table of device kinds and their abilities. Pure Python, because recorded jobs load it too."""

from __future__ import annotations

from dataclasses import dataclass

GLOO = "gloo"


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """A kind of device. `name` is torch's name for it, `title` the name shown to people.

    `streams`: it has separate queues, so it can copy while it computes.
    `events`: it can time the work in its queues.
    `several`: a machine may have more than one, so devices are numbered.
    `group`: process-group backend for ranks with one device each; "" if none, None if unknown.
    `shared_group`: the same for ranks that share a device.
    `graph`: torch's class for graphs captured from its streams; "" if there is none.
    """

    name: str
    title: str
    streams: bool = True
    events: bool = True
    several: bool = True
    group: str | None = None
    shared_group: str = ""
    graph: str = ""

    @property
    def abilities(self) -> str:
        """Its abilities in words, separated by commas."""
        words = ["streams"] if self.streams else []
        words.append("timed events" if self.events else "timed by the host")
        for group in (self.group, self.shared_group):
            if group and group not in words:
                words.append(group)
        return ", ".join(words)

    def device(self, index: int) -> str:
        """Return torch's name of one device of this kind."""
        if not self.several:
            return self.name
        return f"{self.name}:{index}"


HOST = DeviceKind(
    name="cpu",
    title="CPU",
    streams=False,
    events=False,
    several=False,
    group=GLOO,
    shared_group=GLOO,
)
CUDA = DeviceKind(
    "cuda",
    "NVIDIA or AMD GPU",
    group="nccl",
    shared_group=GLOO,
    graph="CUDAGraph",
)
XPU = DeviceKind("xpu", "Intel GPU", group="xccl", graph="XPUGraph")
MPS = DeviceKind(
    name="mps",
    title="Apple GPU",
    streams=False,
    events=False,
    several=False,
    group="",
)
KINDS = {kind.name: kind for kind in (HOST, CUDA, XPU, MPS)}


def device_kind(device: str) -> DeviceKind:
    """Return the kind of a device, given its name.

    A name that is not in the table belongs to an out-of-tree backend (PrivateUse1) or to a virtual
    device. Such a device is assumed to have the abilities of a GPU.
    """
    name = device.partition(":")[0]
    return KINDS.get(name) or DeviceKind(name, "out-of-tree backend")
