"""What may limit a step, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Limit(StrEnum):
    """What limits a step. The order is that of documents: append only."""

    SLOW_LANE = "slow-lane"
    """A lane computes longer than others that do the same."""
    SLOW_LINK = "slow-link"
    """Transfers between two lanes take longer than the same between other lanes."""
    HICCUP = "hiccup"
    """A task took longer in one step than in the others."""
    IMBALANCE = "imbalance"
    """Some lanes have more to compute than others."""
    SCHEDULE = "schedule"
    """Lanes wait because of the order in which tasks need each other."""
    COMMUNICATION = "communication"
    """Moving data takes time in which lanes wait."""
    HOST = "host"
    """Tasks were ready, but the host was late."""
    NONE = "none"
    """Nothing of these."""
    COPIES = "copies"
    """Copying memory takes time in which devices neither compute nor communicate."""
    NOT_TOLD = "not-told"
    """Devices are idle, and the trace does not tell what for."""
    NOISE = "noise"
    """Lanes differ, but by less than their times scatter from step to step."""


WORDS = {
    Limit.SLOW_LANE: "Lane {lane} computes {factor} times as long as other lanes for the same: "
    "that costs {loss} ({share}).",
    Limit.SLOW_LINK: "Transfers between lanes {low} and {high} take {factor} times as long as "
    "the same over other links: that costs {loss} ({share}).",
    Limit.HICCUP: "In step {step} lane {lane} took {taken} for {task} instead of {usual}: that "
    "cost {loss} ({share}) of this step.",
    Limit.IMBALANCE: "Lane {lane} computes for {most}, a lane on average for {mean}: "
    "that costs {loss} ({share}).",
    Limit.SCHEDULE: "The order in which tasks need each other costs {loss} ({share}).",
    Limit.COMMUNICATION: "Moving data costs {loss} ({share}).",
    Limit.HOST: "Tasks take {task}; the host, which starts them, takes longer: that costs {loss} "
    "({share}).",
    Limit.NOISE: "Lanes' times scatter from step to step by more than the lanes differ: that costs "
    "{loss} ({share}).",
    Limit.NONE: "No lane, link or step is slower than its peers; balance, order and communication "
    "cost less than a twentieth each.",
}
"""What is said of each, with placeholders, in English; the window translates it. What something
costs is what a step would take less without it."""

PLACE_WORDS = {
    Limit.HICCUP: "In step {step} {place} took {taken} for {task} instead of {usual}: that "
    "cost {loss} ({share}) of this step.",
}
"""The same where a rank or device of another program has a name of its own."""

AT_LEAST = (
    "Lane {lane} computes {factor} times as long as other lanes for the same: that costs at least "
    "{loss} ({share})."
)
"""Of a slow lane some of whose tasks have no peers."""

DEVICE_WORDS = {
    Limit.IMBALANCE: "{device} computes for {most} a step, a device on average for {mean}: evenly "
    "divided that would be up to {loss} less ({share}).",
    Limit.COMMUNICATION: "Communication that no computing hides costs {loss} a step ({share}).",
    Limit.HOST: "Devices wait {loss} a step ({share}) for the host to start their work.",
    Limit.NONE: "Idle time, communication alone and copies alone cost less than a twentieth each.",
    Limit.COPIES: "Copies that no computing hides cost {loss} a step ({share}).",
    Limit.NOT_TOLD: "Devices idle {loss} a step ({share}), and the trace does not tell what for.",
}
"""Sentences for traces that have a device's own shares of time, but not what its tasks waited
for: shares are of the devices' time."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict that may be: what part of the median step it costs, and what fills its sentence.

    A hiccup costs a part of its own step. What is found `of_devices` costs a part of the devices'
    time. What a lane is known to cost only `partly` may be more: some of its tasks have no peers.
    """

    kind: Limit
    where: str
    loss_ns: int
    share: float
    values: Mapping[str, object] = field(default_factory=dict)
    of_devices: bool = False
    partly: bool = False

    @property
    def words(self) -> str:
        """Its sentence with placeholders, in English."""
        if self.partly:
            return AT_LEAST
        if "place" in self.values:
            return PLACE_WORDS[self.kind]
        return (DEVICE_WORDS if self.of_devices else WORDS)[self.kind]
