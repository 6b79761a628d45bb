"""Limits of a step, and the sentences that name them.

A cost is the time that a step would be shorter without the limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.message import N_, Message, message
from core.plain import duration_text, share_text
from core.plan.task import Kind


class Limit(StrEnum):
    """Kind of limit of a step; the value is its id in documents."""

    SLOW_LANE = "slow-lane"
    """A straggler: a lane or rank computes longer than others with the same work."""
    SLOW_LINK = "slow-link"
    """Transfers between two lanes take longer than equal ones between other lanes."""
    HICCUP = "hiccup"
    """A task took longer in one step than in the others."""
    IMBALANCE = "imbalance"
    """Some lanes have more to compute than others."""
    SCHEDULE = "schedule"
    """The bubble: lanes wait because of the dependencies between tasks."""
    COMMUNICATION = "communication"
    """Exposed communication: lanes wait while data is moved."""
    HOST = "host"
    """Tasks were ready, but the host was late."""
    NONE = "none"
    """No other limit costs enough."""
    COPIES = "copies"
    """Exposed copies: devices copy memory while they neither compute nor communicate."""
    UNEXPLAINED = "not-told"
    """Devices are idle, and the trace does not show why."""
    NOISE = "noise"
    """Lanes differ, but by less than their times scatter from step to step."""
    DATA = "data"
    """A job waits for its next batch: one rank more than others, or all of them."""
    UPDATE = "update"
    """A job updates its model: one rank for longer than others, or all of them."""
    BLOCK = "block"
    """A rank of a job takes longer than others for a pass of one block."""
    LOSS = "loss"
    """A job computes its loss, or runs other code between a forward and a backward pass."""


LANE_SENTENCES = {
    Limit.SLOW_LANE: N_(
        "Lane {lane} is a straggler: it takes {factor} times as long as other lanes for the same "
        "work, which costs {loss} ({share} of the step)."
    ),
    Limit.SLOW_LINK: N_(
        "The link between lanes {low} and {high} is slow: transfers take {factor} times as long "
        "as over other links, which costs {loss} ({share} of the step)."
    ),
    Limit.HICCUP: N_(
        "Hiccup: in step {step}, {task} on lane {lane} took {taken} instead of {usual}, which cost "
        "{loss} ({share} of that step)."
    ),
    Limit.IMBALANCE: N_(
        "Imbalance: lane {lane} computes for {most}, the average lane for {mean}; even work would "
        "save {loss} ({share} of the step)."
    ),
    Limit.SCHEDULE: N_("The schedule's bubble costs {loss} ({share} of the step)."),
    Limit.COMMUNICATION: N_("Exposed communication costs {loss} ({share} of the step)."),
    Limit.HOST: N_(
        "The host costs {loss} ({share} of the step): a task takes {task}, and the host takes "
        "longer to start it."
    ),
    Limit.NOISE: N_(
        "Noise: the times of lanes vary more from step to step than from lane to lane; even work "
        "would save {loss} ({share} of the step)."
    ),
    Limit.NONE: N_(
        "Nothing stands out: no straggler, slow link or hiccup; imbalance, bubble and exposed "
        "communication each cost less than a twentieth of the step."
    ),
}
"""Sentences on lanes, with placeholders, in English."""

PLACE_SENTENCES = {
    Limit.SLOW_LANE: N_(
        "Straggler: {place} takes {factor} times as long as others for the same work, which costs "
        "{loss} ({share} of the step)."
    ),
    Limit.SLOW_LINK: N_(
        "The link between {low} and {high} is slow: transfers take {factor} times as long as over "
        "other links, which costs {loss} ({share} of the step)."
    ),
    Limit.HICCUP: N_(
        "Hiccup: in step {step}, {task} on {place} took {taken} instead of {usual}, which cost "
        "{loss} ({share} of that step)."
    ),
    Limit.IMBALANCE: N_(
        "Imbalance: {place} computes for {most}, the average lane for {mean}; even work would save "
        "{loss} ({share} of the step)."
    ),
}
"""Sentences on ranks and devices that have names, in a trace of another program."""

JOB_SENTENCES = {
    Limit.DATA: N_("Waiting for the next batch of data costs {loss} ({share} of the step)."),
    Limit.HOST: N_(
        "Host code outside the model, the data loader and the optimizer costs {loss} ({share} of "
        "the step)."
    ),
    Limit.UPDATE: N_("Updating the model costs {loss} ({share} of the step)."),
    Limit.LOSS: N_(
        "The loss and the job's other code between the forward and the backward pass cost {loss} "
        "({share} of the step)."
    ),
    Limit.IMBALANCE: N_(
        "Imbalance: rank {lane} computes for {most}, the average rank for {mean}; even work would "
        "save {loss} ({share} of the step)."
    ),
}
"""Sentences on all ranks of a training job, where those on lanes do not fit."""

RANK_SENTENCES = {
    Limit.SLOW_LANE: N_(
        "Rank {lane} is a straggler: it takes {factor} times as long as other ranks for the same "
        "work, which costs {loss} ({share} of the step)."
    ),
    Limit.DATA: N_(
        "Rank {rank} is a straggler: it waits {own} a step for its next batch (other ranks: "
        "{usual}), which costs {loss} ({share} of the step)."
    ),
    Limit.HOST: N_(
        "Rank {rank} is a straggler: it spends {own} a step on host code outside its model, data "
        "loader and optimizer (other ranks: {usual}), which costs {loss} ({share} of the step)."
    ),
    Limit.UPDATE: N_(
        "Rank {rank} is a straggler: updating the model takes {own} (other ranks: {usual}), "
        "which costs {loss} ({share} of the step)."
    ),
    Limit.BLOCK: N_(
        "Rank {rank} is a straggler: {work} of block {block} takes {own} (other ranks: {usual}), "
        "which costs {loss} ({share} of the step)."
    ),
}
"""Sentences on one rank of a training job that takes longer than the other ranks."""

PASS_SENTENCES = {
    Kind.FORWARD: N_(
        "Rank {rank} is a straggler: the forward pass of block {block} takes {own} (other ranks: "
        "{usual}), which costs {loss} ({share} of the step)."
    ),
    Kind.BACKWARD: N_(
        "Rank {rank} is a straggler: the backward pass of block {block} takes {own} (other ranks: "
        "{usual}), which costs {loss} ({share} of the step)."
    ),
    Kind.RECOMPUTE: N_(
        "Rank {rank} is a straggler: recomputing block {block} takes {own} (other ranks: "
        "{usual}), which costs {loss} ({share} of the step)."
    ),
    Kind.LOSS: N_(
        "Rank {rank} is a straggler: computing the loss takes {own} (other ranks: {usual}), which "
        "costs {loss} ({share} of the step)."
    ),
}
"""Sentences on one rank's pass of a block, by kind of task."""

LANE_AT_LEAST = N_(
    "Lane {lane} is a straggler: it takes {factor} times as long as other lanes for the same "
    "work, which costs at least {loss} ({share} of the step)."
)
PLACE_AT_LEAST = N_(
    "Straggler: {place} takes {factor} times as long as others for the same work, which costs at "
    "least {loss} ({share} of the step)."
)
RANK_AT_LEAST = N_(
    "Rank {lane} is a straggler: it takes {factor} times as long as other ranks for the same "
    "work, which costs at least {loss} ({share} of the step)."
)
"""A straggler whose full cost is not known, because some of its tasks have no peers."""

DEVICE_SENTENCES = {
    Limit.IMBALANCE: N_(
        "Imbalance: {device} computes for {most} a step, the average device for {mean}; even work "
        "would save up to {loss} ({share} of the devices' time)."
    ),
    Limit.COMMUNICATION: N_(
        "Exposed communication costs {loss} a step ({share} of the devices' time)."
    ),
    Limit.HOST: N_(
        "The host costs {loss} a step ({share} of the devices' time): devices wait for it to start "
        "their work."
    ),
    Limit.NONE: N_(
        "Nothing stands out: idle time, exposed communication and exposed copies each take less "
        "than a twentieth of the devices' time."
    ),
    Limit.COPIES: N_("Exposed copies cost {loss} a step ({share} of the devices' time)."),
    Limit.UNEXPLAINED: N_(
        "Devices are idle for {loss} a step ({share} of their time), and the trace does not show "
        "why."
    ),
}
"""Sentences for traces that have the devices' shares of time, but not the reasons of waits."""

LANES_UNEXPLAINED = N_(
    "Lanes are idle for {loss} ({share} of the step) for reasons that the trace does not show; a "
    "task takes {task}."
)
"""Sentence for traces of another program that have neither a device's streams nor launches."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A possible verdict: a limit, its place, and its cost as ns and as a share of the median step.

    A hiccup costs a share of its own step, and a limit of devices a share of the devices' time.
    `values` fill the sentence; `sentence` is a template, or "" for the one in LANE_SENTENCES.
    """

    kind: Limit
    where: str
    loss_ns: int
    share: float
    values: Mapping[str, object] = field(default_factory=dict)
    sentence: str = ""

    @property
    def message(self) -> Message:
        """The sentence on this limit."""
        loss = duration_text(self.loss_ns)
        share = share_text(self.share)
        template = self.sentence or LANE_SENTENCES[self.kind]
        return message(template, loss=loss, share=share, **self.values)
