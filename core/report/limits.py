"""What may limit a step, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.message import N_
from core.plan.task import Kind


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
    DATA = "data"
    """A job waits for its next batch: one rank more than others, or all of them."""
    UPDATE = "update"
    """A job updates its model: one rank for longer than others, or all of them."""
    BLOCK = "block"
    """A rank of a job takes longer than others for a pass of one block."""


WORDS = {
    Limit.SLOW_LANE: N_(
        "Lane {lane} computes {factor} times as long as other lanes for the same: "
        "that costs {loss} ({share})."
    ),
    Limit.SLOW_LINK: N_(
        "Transfers between lanes {low} and {high} take {factor} times as long as "
        "the same over other links: that costs {loss} ({share})."
    ),
    Limit.HICCUP: N_(
        "In step {step} lane {lane} took {taken} for {task} instead of {usual}: that "
        "cost {loss} ({share}) of this step."
    ),
    Limit.IMBALANCE: N_(
        "Lane {lane} computes for {most}, a lane on average for {mean}: "
        "that costs {loss} ({share})."
    ),
    Limit.SCHEDULE: N_("The order in which tasks need each other costs {loss} ({share})."),
    Limit.COMMUNICATION: N_("Moving data costs {loss} ({share})."),
    Limit.HOST: N_(
        "Tasks take {task}; the host, which starts them, takes longer: that costs {loss} ({share})."
    ),
    Limit.NOISE: N_(
        "Lanes' times scatter from step to step by more than the lanes differ: that costs "
        "{loss} ({share})."
    ),
    Limit.NONE: N_(
        "No lane, link or step is slower than its peers; balance, order and communication "
        "cost less than a twentieth each."
    ),
}
"""What is said of each, with placeholders, in English; the window translates it. What something
costs is what a step would take less without it."""

PLACE_WORDS = {
    Limit.HICCUP: N_(
        "In step {step} {place} took {taken} for {task} instead of {usual}: that "
        "cost {loss} ({share}) of this step."
    ),
}
"""The same where a rank or device of another program has a name of its own."""

JOB_WORDS = {
    Limit.DATA: N_("Waiting for the next batch of data costs {loss} ({share})."),
    Limit.HOST: N_(
        "The job's code outside of its model, loader and optimizer costs {loss} ({share})."
    ),
    Limit.UPDATE: N_("Updating the model costs {loss} ({share})."),
    Limit.IMBALANCE: N_(
        "Rank {lane} computes for {most}, a rank on average for {mean}: "
        "that costs {loss} ({share})."
    ),
}
"""Of all ranks of a training job, where WORDS do not fit."""

RANK_WORDS = {
    Limit.SLOW_LANE: N_(
        "Rank {lane} computes {factor} times as long as other ranks for the same: "
        "that costs {loss} ({share})."
    ),
    Limit.DATA: N_(
        "Rank {rank} waits {own} a step for its next batch, other ranks {usual}: that "
        "costs {loss} ({share})."
    ),
    Limit.HOST: N_(
        "Rank {rank} spends {own} a step on code outside of its model, loader and "
        "optimizer, other ranks {usual}: that costs {loss} ({share})."
    ),
    Limit.UPDATE: N_(
        "Rank {rank} takes {own} to update the model, other ranks {usual}: that costs "
        "{loss} ({share})."
    ),
    Limit.BLOCK: N_(
        "Rank {rank} takes {own} for {work} of block {block}, other ranks {usual}: that "
        "costs {loss} ({share})."
    ),
}
"""Of one rank of a training job, that takes longer for something than the other ranks."""

PASS_WORDS = {
    Kind.FORWARD: N_(
        "Rank {rank} takes {own} for the forward pass of block {block}, other ranks "
        "{usual}: that costs {loss} ({share})."
    ),
    Kind.BACKWARD: N_(
        "Rank {rank} takes {own} for the backward pass of block {block}, other ranks "
        "{usual}: that costs {loss} ({share})."
    ),
    Kind.RECOMPUTE: N_(
        "Rank {rank} takes {own} to compute block {block} again, other ranks {usual}: "
        "that costs {loss} ({share})."
    ),
    Kind.LOSS: N_(
        "Rank {rank} takes {own} to compute the loss, other ranks {usual}: that costs "
        "{loss} ({share})."
    ),
}
"""The same of a block's pass, by kind of task."""

AT_LEAST = N_(
    "Lane {lane} computes {factor} times as long as other lanes for the same: that costs at least "
    "{loss} ({share})."
)
"""Of a slow lane some of whose tasks have no peers."""

DEVICE_WORDS = {
    Limit.IMBALANCE: N_(
        "{device} computes for {most} a step, a device on average for {mean}: evenly "
        "divided that would be up to {loss} less ({share})."
    ),
    Limit.COMMUNICATION: N_("Communication that no computing hides costs {loss} a step ({share})."),
    Limit.HOST: N_("Devices wait {loss} a step ({share}) for the host to start their work."),
    Limit.NONE: N_(
        "Idle time, communication alone and copies alone cost less than a twentieth each."
    ),
    Limit.COPIES: N_("Copies that no computing hides cost {loss} a step ({share})."),
    Limit.NOT_TOLD: N_(
        "Devices idle {loss} a step ({share}), and the trace does not tell what for."
    ),
}
"""Sentences for traces that have a device's own shares of time, but not what its tasks waited
for: shares are of the devices' time."""


LANES_NOT_TOLD = N_(
    "Tasks take {task}; lanes idle for {loss} ({share}) besides, and the trace does not tell what "
    "for."
)
"""Of another program's trace that has neither a device's streams nor launches."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict that may be: what part of the median step it costs, and what fills its sentence.

    A hiccup costs a part of its own step. What is found `of_devices` costs a part of the devices'
    time. What a lane is known to cost only `partly` may be more: some of its tasks have no peers.
    It has a `sentence` of its own where its kind's does not fit.
    """

    kind: Limit
    where: str
    loss_ns: int
    share: float
    values: Mapping[str, object] = field(default_factory=dict)
    of_devices: bool = False
    partly: bool = False
    sentence: str = ""

    @property
    def words(self) -> str:
        """Its sentence with placeholders, in English."""
        if self.sentence:
            return self.sentence
        if self.partly:
            return AT_LEAST
        if "place" in self.values:
            return PLACE_WORDS[self.kind]
        return (DEVICE_WORDS if self.of_devices else WORDS)[self.kind]
