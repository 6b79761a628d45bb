"""The lanes of a run, made from the `--devices` text and the machine's hardware."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.counts import lanes_text
from core.errors import PlanError
from core.message import Message, Text, counted, message
from core.option import listed
from core.plan.devices import HOST, KINDS, Hardware, device_kind
from core.plan.link import link_text
from core.plan.plan import Lane, Role

MOST_LANES = 4096
VIRTUAL = "virtual:"
"""Prefix of the names of virtual devices (`virtual:3`) and of `--devices virtual:cpu`."""


def lane_devices(text: str, hardware: Hardware) -> list[str]:
    """Return the device of each compute lane that a `--devices` text specifies.

    `auto` is a lane on every accelerator; two lanes if there is only one accelerator; without any,
    two CPU lanes (one lane on a single core). The device of a virtual lane is `virtual:` and the
    hardware that runs its work, by default an accelerator if there is one. Accepts every known kind
    and the kinds of `hardware`. Raises PlanError if the text cannot be read or mixes kinds of
    lanes.
    """
    if text.strip() == "auto":
        return _default_devices(hardware)
    devices: list[str] = []
    for item in text.split(","):
        devices += _item_devices(item.strip(), text, hardware)
    if any(device.startswith(VIRTUAL) for device in devices):
        if len(set(devices)) > 1:
            raise PlanError(
                message(
                    "--devices {text!r}: virtual lanes run alone, on one device; use 8xvirtual:cpu",
                    text=text,
                )
            )
    elif len({device_kind(device).name for device in devices}) > 1:
        raise PlanError(
            message("--devices {text!r} mixes kinds of devices; use one kind in a run", text=text)
        )
    return devices


def accepted(hardware: Hardware) -> list[str]:
    """Return example values for `--devices`; of every known kind if there is no accelerator."""
    have = hardware.devices[1:]
    if have:
        shown = [",".join(have), f"2x{have[0]}"]
    else:
        shown = [kind.device(0) for kind in KINDS.values() if kind is not HOST]
    return ["auto", f"2x{HOST.name}", *shown, "8xvirtual", f"8x{VIRTUAL}{HOST.name}"]


def asks_virtual(text: str) -> bool:
    """Return True if a `--devices` text specifies virtual lanes."""
    return "virtual" in text


def sharing_text(lane: Lane) -> Text:
    """Return a text about the hardware that a lane shares; empty if it shares none."""
    if not lane.sharers:
        return lane.sharing  # of an older recording, in English
    lanes = lanes_text(lane.sharers)
    if not lane.shared_cores:
        return message("{lanes} share {device}", lanes=lanes, device=lane.device)
    cores = counted("{n} core", "{n} cores", lane.shared_cores)
    return message("{lanes} share {cores}", lanes=lanes, cores=cores)


def shared_cause(lanes: Iterable[Lane]) -> Message | None:
    """Return a sentence on shared hardware as the possible reason why a lane is slow; else None."""
    for lane in lanes:
        if lane.sharing:
            return message("{sharing}, which may be the reason.", sharing=sharing_text(lane))
    return None


def timing_note(lanes: Iterable[Lane], link: str | None) -> Text:
    """Return the note to show next to times of these lanes; empty if none is needed.

    `link` is the `--link` value.
    """
    for lane in lanes:
        if lane.is_virtual:
            return message(
                "virtual clock: each task measured alone, {communication}",
                communication=link_text(link),
            )
        if lane.sharing:
            return sharing_text(lane)
    return ""


def virtual_instead(lanes: Sequence[Lane]) -> str:
    """Return the `--devices` text for as many virtual lanes on the same hardware.

    Empty if the run's compute `lanes` do not share hardware.
    """
    if not any(lane.sharing for lane in lanes):
        return ""
    device = lanes[0].device
    return f"{len(lanes)}x{VIRTUAL}{HOST.name if device.startswith(HOST.name) else device}"


def check_devices(devices: list[str], hardware: Hardware) -> None:
    """Raise PlanError if the machine lacks one of `devices`."""
    for name in devices:
        device = name.removeprefix(VIRTUAL)
        if device not in hardware.devices:
            have = ", ".join(hardware.devices[1:]) or message("no accelerator")
            raise PlanError(
                message(
                    "there is no {device}: {machine} has {have}; CPU lanes are 2xcpu",
                    device=device,
                    machine=hardware.machine,
                    have=have,
                )
            )


def make_lanes(devices: list[str], hardware: Hardware, cores_per_lane: int | None) -> list[Lane]:
    """Return compute lanes for `devices`; `sharing` is set on lanes that share hardware.

    CPU lanes get `cores_per_lane` cores each, by default the machine's cores divided by the number
    of lanes, at least one. Virtual lanes get one core by default, so that they compute equally fast
    in runs with different numbers of lanes, and so that the CPU time that other programs take from
    the core can be measured.
    """
    if devices[0].startswith(VIRTUAL):
        runs_on = devices[0].removeprefix(VIRTUAL)
        # Lanes on an accelerator have 0 cores.
        cores = (cores_per_lane or 1) if runs_on == HOST.name else 0
        virtual_lanes = []
        for index in range(len(devices)):
            name = f"{VIRTUAL}{index}"
            virtual_lanes.append(Lane(index, name, name, cores=cores, runs_on=runs_on))
        return virtual_lanes
    cores = cores_per_lane or max(1, hardware.cores // len(devices))
    if devices[0] == HOST.name:
        crowded = cores * len(devices) > hardware.cores
        lanes = []
        for index, device in enumerate(devices):
            lane = Lane(index, f"{device}:{index}", device, cores=cores)
            if crowded:
                lane = _sharing(lane, len(devices), hardware.cores)
            lanes.append(lane)
        return lanes
    total = Counter(devices)
    seen = Counter[str]()
    lanes = []
    for index, device in enumerate(devices):
        shared = total[device] > 1
        name = f"{device}.{seen[device]}" if shared else device
        lane = Lane(index, name, device)
        if shared:
            lane = _sharing(lane, total[device])
        lanes.append(lane)
        seen[device] += 1
    return lanes


def _sharing(lane: Lane, sharers: int, cores: int = 0) -> Lane:
    """Return a lane that shares its device, or a number of cores, with other compute lanes."""
    shared = replace(lane, sharers=sharers, shared_cores=cores)
    return replace(shared, sharing=str(sharing_text(shared)))


def with_helpers(lanes: list[Lane], role: Role, *words: str) -> list[Lane]:
    """Return `lanes`, then for each word a helper of every lane with `role`, named `LANE WORD`."""
    helpers: list[Lane] = []
    for round_number, word in enumerate(words, 1):
        for lane in lanes:
            helper = Lane(
                round_number * len(lanes) + lane.index,
                f"{lane.name} {word}",
                lane.device,
                role,
                sharing=lane.sharing,
                sharers=lane.sharers,
                shared_cores=lane.shared_cores,
                serves=lane.index,
                runs_on=lane.runs_on,
            )
            helpers.append(helper)
    return [*lanes, *helpers]


def _default_devices(hardware: Hardware) -> list[str]:
    if len(hardware.accelerators) == 1:
        return hardware.devices[1:] * 2
    if hardware.accelerators:
        return hardware.devices[1:]
    lanes = max(1, min(2, hardware.cores))
    return [HOST.name] * lanes


def _item_devices(item: str, text: str, hardware: Hardware) -> list[str]:
    # An optional count; `virtual`, alone or followed by a kind; a kind; a number: 2xcpu, cuda:1,
    # 8xvirtual, 4xvirtual:cuda:1. The lookahead excludes virtual:3, which names a lane.
    match = re.fullmatch(
        r"(?:(?P<count>\d{1,9})x)?(?P<virtual>virtual(?::(?=\D)|$))?"
        r"(?P<kind>[a-z]\w*|$)(?::(?P<number>\d{1,4}))?",
        item,
    )
    # KINDS lacks backends that torch plug-ins add; the machine's own devices have them.
    known = dict(KINDS)
    for device in hardware.devices:
        present = device_kind(device)
        known[present.name] = present
    kind = None
    if match is not None:
        own_kind = device_kind(hardware.devices[-1]).name
        kind = known.get(match["kind"] or own_kind)
    if (
        match is None
        or kind is None
        or (match["number"] and not kind.several)
        or (not match["kind"] and not match["virtual"])
    ):
        use = listed(accepted(hardware))
        raise PlanError(
            message(
                "--devices {text!r}: {item!r} is not a device; use {use}",
                text=text,
                item=item,
                use=use,
            )
        )
    count = int(match["count"] or 1)
    number = match["number"]
    if not 1 <= count <= MOST_LANES:
        raise PlanError(
            message(
                "--devices {text!r}: {lanes}; use 1 to {most_lanes}",
                text=text,
                lanes=lanes_text(count),
                most_lanes=MOST_LANES,
            )
        )
    if match["virtual"]:
        device = VIRTUAL + kind.device(int(number or 0))
        return [device] * count
    # 2xcuda is two devices, 2xcuda:0 two lanes on one.
    if number is None and kind.several:
        return [kind.device(index) for index in range(count)]
    return [kind.device(int(number or 0))] * count
