"""From a `--devices` text and the hardware at hand to the lanes of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from core.errors import PlanError
from core.option import listed
from core.plan.devices import HOST, KINDS, Hardware, kind_of
from core.plan.link import link_text
from core.plan.plan import Lane, Role

MOST_LANES = 4096
VIRTUAL = "virtual:"
"""What the name of a virtual device begins with, and what stands before its hardware's name."""


def lane_devices(text: str, hardware: Hardware) -> list[str]:
    """The device of each compute lane, as `--devices` names them.

    `auto` is every accelerator, two lanes on it if there is one, and without any two CPU lanes (one
    if there is but one core). A virtual lane's is `virtual:` and the hardware that its work runs
    on, by default an accelerator where there is one. Accepts every known kind, and those of
    `hardware`. Raises PlanError if the text cannot be read or mixes kinds of lanes.
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
    elif len({kind_of(device).name for device in devices}) > 1:
        raise PlanError(f"--devices {text!r} mixes kinds of devices; use one kind in a run")
    return devices


def accepted(hardware: Hardware) -> list[str]:
    """Examples of what `--devices` accepts on a machine; of every known kind if it has none."""
    have = hardware.devices[1:]
    known = [kind.device(0) for kind in KINDS.values() if kind is not HOST]
    shown = [",".join(have), f"2x{have[0]}"] if have else known
    return ["auto", f"2x{HOST.name}", *shown, "8xvirtual", f"8x{VIRTUAL}{HOST.name}"]


def asks_virtual(text: str) -> bool:
    """Whether a `--devices` text asks for virtual lanes."""
    return "virtual" in text


def timing_note(lanes: Iterable[Lane], link: str | None) -> str:
    """The note that is shown wherever a time of these lanes is, empty if none is needed.

    `link` is what was asked for between virtual lanes.
    """
    for lane in lanes:
        if lane.is_virtual:
            return f"virtual clock: each task measured alone, {link_text(link)}"
        if lane.sharing:
            return lane.sharing
    return ""


def virtual_instead(lanes: Sequence[Lane]) -> str:
    """As many virtual lanes on the same hardware; nothing where lanes have hardware of their own.

    `lanes` are a run's compute lanes.
    """
    if not any(lane.sharing for lane in lanes):
        return ""
    device = lanes[0].device
    return f"{len(lanes)}x{VIRTUAL}{HOST.name if device.startswith(HOST.name) else device}"


def check_devices(devices: list[str], hardware: Hardware) -> None:
    """Raise PlanError if one of `devices` is not on this machine."""
    for device in (device.removeprefix(VIRTUAL) for device in devices):
        if device not in hardware.devices:
            have = ", ".join(hardware.devices[1:]) or "no accelerator"
            raise PlanError(f"there is no {device}: this machine has {have}; CPU lanes are 2xcpu")


def make_lanes(devices: list[str], hardware: Hardware, cores_per_lane: int | None) -> list[Lane]:
    """Compute lanes for `devices`; says which of them share hardware.

    CPU lanes get `cores_per_lane` cores each, by default the machine's cores divided by the lanes,
    at least one. Virtual ones get one each by default: so lanes of runs with different numbers of
    lanes compute equally fast, and what other programs take of the core is known.
    """
    if devices[0].startswith(VIRTUAL):
        runs_on = devices[0].removeprefix(VIRTUAL)
        names = [f"{VIRTUAL}{index}" for index in range(len(devices))]
        # Cores are a CPU lane's: on an accelerator 0 says that there are none.
        cores = (cores_per_lane or 1) if runs_on == HOST.name else 0
        return [
            Lane(index, name, name, cores=cores, runs_on=runs_on)
            for index, name in enumerate(names)
        ]
    cores = cores_per_lane or max(1, hardware.cores // len(devices))
    if devices[0] == HOST.name:
        crowded = cores * len(devices) > hardware.cores
        sharing = f"{len(devices)} lanes share {hardware.cores} cores" if crowded else ""
        return [
            Lane(i, f"{device}:{i}", device, cores=cores, sharing=sharing)
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
            # Behind all compute lanes their helpers of the first word, then those of the next.
            turn * len(lanes) + lane.index, f"{lane.name} {word}", lane.device, role,
            sharing=lane.sharing, serves=lane.index, runs_on=lane.runs_on,
        )
        for turn, word in enumerate(words, 1)
        for lane in lanes
    ]  # fmt: skip
    return [*lanes, *helpers]


def _default_devices(hardware: Hardware) -> list[str]:
    if len(hardware.accelerators) == 1:
        return hardware.devices[1:] * 2
    return hardware.devices[1:] or [HOST.name] * max(1, min(2, hardware.cores))


def _item_devices(item: str, text: str, hardware: Hardware) -> list[str]:
    # An optional count, `virtual` alone or before a kind, a kind, a number: 2xcpu, cuda:1,
    # 8xvirtual, 4xvirtual:cuda:1. Not virtual:3, which is the name of a lane and no
    # hardware: hence the look ahead.
    match = re.fullmatch(
        r"(?:(?P<count>\d{1,9})x)?(?P<virtual>virtual(?::(?=\D)|$))?"
        r"(?P<kind>[a-z]\w*|$)(?::(?P<number>\d{1,4}))?",
        item,
    )
    # The machine's own kinds too: a backend that torch knows by a plug-in is in no table.
    known = {**KINDS, **{kind.name: kind for kind in map(kind_of, hardware.devices)}}
    kind = None if match is None else known.get(match["kind"] or kind_of(hardware.devices[-1]).name)
    if (
        match is None
        or kind is None
        or (match["number"] and not kind.several)
        or (not match["kind"] and not match["virtual"])
    ):
        use = listed(accepted(hardware))
        raise PlanError(f"--devices {text!r}: {item!r} is no device; use {use}")
    count, number = int(match["count"] or 1), match["number"]
    if not 1 <= count <= MOST_LANES:
        raise PlanError(f"--devices {text!r}: {count} lanes; use 1 to {MOST_LANES}")
    if match["virtual"]:
        return [VIRTUAL + kind.device(int(number or 0))] * count
    # 2xcuda is two devices, 2xcuda:0 two lanes on one.
    if number is None and kind.several:
        return [kind.device(index) for index in range(count)]
    return [kind.device(int(number or 0))] * count
