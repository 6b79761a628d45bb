"""The one table of what kinds of devices can do. A job that is recorded has it too: pure Python."""

from __future__ import annotations

from dataclasses import dataclass

GLOO = "gloo"


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """A kind of device by torch's name for it; `title` is the word for people.

    With `streams` it has queues of its own, so that it copies beside computing; with `events` it
    times what is in them. Where there may be `several` they have numbers. `group` is the process
    group of ranks that have a device each, `shared_group` that of ranks that share one; empty if
    such ranks cannot meet, None if only torch knows. `graph` is torch's class of graphs that are
    captured from its streams; empty if it has none.
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
        """What it can do, in words."""
        timed = "timed events" if self.events else "timed by the host"
        groups = dict.fromkeys(group for group in (self.group, self.shared_group) if group)
        return ", ".join([*(["streams"] if self.streams else []), timed, *groups])

    def device(self, index: int) -> str:
        """The name of one of them."""
        return f"{self.name}:{index}" if self.several else self.name


HOST = DeviceKind("cpu", "CPU", False, False, False, GLOO, GLOO)
CUDA = DeviceKind("cuda", "NVIDIA or AMD GPU", group="nccl", shared_group=GLOO, graph="CUDAGraph")
KINDS = {
    kind.name: kind
    for kind in (
        HOST,
        CUDA,
        DeviceKind("xpu", "Intel GPU", group="xccl", graph="XPUGraph"),
        DeviceKind("mps", "Apple GPU", False, False, False, group=""),
    )
}


def kind_of(device: str) -> DeviceKind:
    """The kind of a device, by its name.

    One that torch itself does not know (of an out-of-tree backend, PrivateUse1), or that is
    virtual, is taken to do what a GPU does.
    """
    name = device.partition(":")[0]
    return KINDS.get(name) or DeviceKind(name, "out-of-tree backend")
