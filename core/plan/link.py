"""Model of the time that moving data between devices takes: latency, bandwidth and rings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import PlanError
from core.message import Message, message
from core.plan.task import Kind

MEASURED = "measured"
"""The `--link` value that uses the measured time of each transfer instead of a model."""


@dataclass(frozen=True, slots=True)
class Link:
    """A connection between lanes: a transfer takes `latency_ns` + its bytes x `ns_per_byte`."""

    latency_ns: float
    ns_per_byte: float

    @classmethod
    def of(cls, latency_us: float, bandwidth_gb_s: float) -> Link:
        """Return the link with this latency in us and bandwidth in GB/s (1 GB is 1e9 bytes)."""
        return cls(1e3 * latency_us, 1 / bandwidth_gb_s)

    def transfer_ns(self, kind: Kind, size: float, members: int) -> float:
        """Return the time in ns of a task that moves `size` bytes; a collective has `members`.

        Collectives use a ring (Patarasuk and Yuan 2009): an all-gather or a reduce-scatter takes
        members - 1 rounds of size / members bytes each, and an all-reduce takes both in turn.
        """
        if not kind.is_collective:
            return self.latency_ns + size * self.ns_per_byte
        rounds = (members - 1) * (2 if kind is Kind.ALL_REDUCE else 1)
        return rounds * (self.latency_ns + size / members * self.ns_per_byte)


LINKS = {
    "nvlink4": (2.0, 450.0),  # NVIDIA H100 datasheet: 900 GB/s, half of it each way
    "pcie5": (5.0, 63.0),  # PCI-SIG, 5.0 x16: 32 GT/s x 16 lanes x 128/130 / 8 bits
    "pcie4": (5.0, 31.5),  # PCI-SIG, 4.0 x16: 16 GT/s x 16 lanes x 128/130 / 8 bits
    "ethernet-100g": (10.0, 12.5),  # IEEE 802.3ba: 100 Gbit/s
    "ethernet-10g": (50.0, 1.25),  # IEEE 802.3ae: 10 Gbit/s
}
"""Links by name: latency in us and bandwidth in GB/s, each way.

The bandwidths are the standards' maxima, which programs do not quite reach. No standard gives
latencies: these are rounded values that programs measure (RDMA at 100 Gbit/s, TCP at 10).
"""
DEFAULT_LINK = "5:25"
"""Roughly what a program gets from a PCIe 4.0 x16 slot."""
_ACCEPTED = message(
    "LATENCY_US:GB_S such as {usual}, {names}", usual=DEFAULT_LINK, names=", ".join(LINKS)
)


def link_text(text: str | None) -> Message:
    """Return a display text for the timing of communication; `text` is the option's value."""
    if text == MEASURED:
        return message("communication measured too")
    link = read_link(text or DEFAULT_LINK)
    assert link is not None
    latency = link.latency_ns / 1e3
    bandwidth = 1 / link.ns_per_byte
    if text in LINKS:
        return message(
            "communication modelled ({name}: {latency:g} µs, {bandwidth:g} GB/s)",
            name=text,
            latency=latency,
            bandwidth=bandwidth,
        )
    return message(
        "communication modelled ({latency:g} µs, {bandwidth:g} GB/s)",
        latency=latency,
        bandwidth=bandwidth,
    )


def read_link(text: str) -> Link | None:
    """Return the link that a text names, or gives as latency in us and bandwidth in GB/s.

    None if transfers take their measured time. Raises PlanError for any other text.
    """
    if text == MEASURED:
        return None
    if text in LINKS:
        return Link.of(*LINKS[text])
    number = r"(\d{1,9}(?:\.\d*)?|\.\d+)"
    match = re.fullmatch(f"{number}:{number}", text)
    if match is None:
        raise PlanError(
            message(
                "--link {text!r}: use {accepted} or {measured}, each number below 10^9",
                text=text,
                accepted=_ACCEPTED,
                measured=MEASURED,
            )
        )
    if float(match[2]) <= 0:
        raise PlanError(message("--link {text}: use a bandwidth above 0 GB/s", text=text))
    return Link.of(float(match[1]), float(match[2]))
