"""From a `--devices` text and the hardware at hand to the lanes of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.plan.link import link_text
from core.plan.task import Lane, PlanError, Role

ACCEPTED = "auto, 2xcpu, cuda:0,cuda:1, 2xcuda:0, 8xvirtual or 8xvirtual:cpu"
MOST_LANES = 4096
VIRTUAL = "virtual:"
"""What the name of a virtual device begins with, and what stands before its hardware's name."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A CUDA device as torch lists it; `memory` is in bytes."""

    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class Hardware:
    """What this machine has: usable CPU cores, memory in bytes and CUDA devices."""

    cores: int
    memory: int
    gpus: tuple[Gpu, ...] = ()


def lane_devices(text: str, hardware: Hardware) -> list[str]:
    """The device of each compute lane, as `--devices` names them.

    `auto` is every GPU, two lanes on it if there is one, and without any two CPU lanes (one if
    there is but one core). A virtual lane's is `virtual:` and the hardware that its work runs on,
    by default a GPU where there is one. Raises PlanError if the text cannot be read or mixes kinds
    of lanes.
    """
    if text.strip() == "auto":
        return _default_devices(hardware)
    devices: list[str] = []
    for item in text.split(","):
        devices += _item_devices(item.strip(), text, hardware)
    if any(device.startswith(VIRTUAL) for device in devices):
        if len(set(devices)) > 1:
            raise PlanError(
                f"--devices {text!r}: virtual lanes run alone, on one device; use 8xvirtual:cpu"
            )
    elif len({device.split(":")[0] for device in devices}) > 1:
        raise PlanError(f"--devices {text!r} mixes CPU and GPU lanes; use one kind in a run")
    return devices


def asks_virtual(text: str) -> bool:
    """Whether a `--devices` text asks for virtual lanes."""
    return "virtual" in text


def timing_note(lanes: Iterable[Lane], link: str | None) -> str:
    """What must be said wherever a time of these lanes is shown, if anything.

    `link` is what was asked for between virtual lanes.
    """
    for lane in lanes:
        if lane.is_virtual:
            return f"virtual clock: each task measured alone, {link_text(link)}"
        if lane.sharing:
            return lane.sharing
    return ""


def check_devices(devices: list[str], hardware: Hardware) -> None:
    """Raise PlanError if one of `devices` is not on this machine."""
    for device in (device.removeprefix(VIRTUAL) for device in devices):
        if device.startswith("cuda") and int(device[5:]) >= len(hardware.gpus):
            have = ", ".join(f"cuda:{i}" for i in range(len(hardware.gpus))) or "no CUDA device"
            raise PlanError(f"there is no {device}: this machine has {have}; CPU lanes are 2xcpu")


def make_lanes(devices: list[str], hardware: Hardware, cores_per_lane: int | None) -> list[Lane]:
    """Compute lanes for `devices`; says which of them share hardware.

    CPU lanes get `cores_per_lane` cores each, by default the machine's cores divided by the lanes,
    at least one; virtual ones, which take turns, as many as real ones would have.
    """
    cores = cores_per_lane or max(1, hardware.cores // len(devices))
    if devices[0].startswith(VIRTUAL):
        runs_on = devices[0].removeprefix(VIRTUAL)
        names = [f"{VIRTUAL}{index}" for index in range(len(devices))]
        cores = cores if runs_on == "cpu" else 0
        return [
            Lane(index, name, name, cores=cores, runs_on=runs_on)
            for index, name in enumerate(names)
        ]
    if devices[0] == "cpu":
        crowded = cores * len(devices) > hardware.cores
        sharing = f"{len(devices)} lanes share {hardware.cores} cores" if crowded else ""
        return [
            Lane(i, f"cpu:{i}", device, cores=cores, sharing=sharing)
            for i, device in enumerate(devices)
        ]
    total, seen = Counter(devices), Counter[str]()
    lanes = []
    for index, device in enumerate(devices):
        shared = total[device] > 1
        name = f"{device}.{seen[device]}" if shared else device
        sharing = f"{total[device]} lanes share {device}" if shared else ""
        lanes.append(Lane(index, name, device, sharing=sharing))
        seen[device] += 1
    return lanes


def with_helpers(lanes: list[Lane], role: Role, *words: str) -> list[Lane]:
    """`lanes`, then for each of the `words` a lane of `role` for each of them, named after it."""
    helpers = [
        Lane(
            turn * len(lanes) + lane.index, f"{lane.name} {word}", lane.device, role,
            sharing=lane.sharing, serves=lane.index, runs_on=lane.runs_on,
        )
        for turn, word in enumerate(words, 1)
        for lane in lanes
    ]  # fmt: skip
    return [*lanes, *helpers]


def meet_in_nccl(lanes: Sequence[Lane]) -> bool:
    """Whether ranks on `lanes` can use NCCL, which refuses two on one GPU; they use gloo else."""
    devices = {lane.device for lane in lanes}
    return "cpu" not in devices and len(devices) == len(lanes)


def _default_devices(hardware: Hardware) -> list[str]:
    if len(hardware.gpus) == 1:
        return ["cuda:0"] * 2
    if hardware.gpus:
        return [f"cuda:{i}" for i in range(len(hardware.gpus))]
    return ["cpu"] * max(1, min(2, hardware.cores))


def _item_devices(item: str, text: str, hardware: Hardware) -> list[str]:
    match = re.fullmatch(
        r"(?:(?P<count>\d{1,9})x)?(?P<virtual>virtual(?::(?=\D)|$))?"
        r"(?P<kind>cpu|cuda|$)(?::(?P<number>\d{1,4}))?",
        item,
    )
    if (
        match is None
        or (match["kind"] == "cpu" and match["number"])
        or (not match["kind"] and not match["virtual"])
    ):
        raise PlanError(f"--devices {text!r}: {item!r} is no device; use {ACCEPTED}")
    count, kind, number = int(match["count"] or 1), match["kind"], match["number"]
    if not 1 <= count <= MOST_LANES:
        raise PlanError(f"--devices {text!r}: {count} lanes; use 1 to {MOST_LANES}")
    if match["virtual"]:
        kind = kind or ("cuda" if hardware.gpus else "cpu")
        return [f"{VIRTUAL}{kind}" + (f":{int(number or 0)}" if kind == "cuda" else "")] * count
    if kind == "cuda" and number is None:
        return [f"cuda:{i}" for i in range(count)]
    return [kind if number is None else f"{kind}:{int(number)}"] * count
