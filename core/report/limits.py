"""What may limit a step, and the sentences that say so."""

from __future__ import annotations

from enum import StrEnum


class Limit(StrEnum):
    """What limits a step. The order is that of documents: append only."""

    SLOW_LANE = "slow-lane"
    """A lane computes longer than others that do the same."""
    SLOW_LINK = "slow-link"
    """Transfers between two lanes take longer than others of the same size."""
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


WORDS = {
    Limit.SLOW_LANE: "Lane {lane} computes {factor} times as long as other lanes for the same: "
    "that costs {loss} ({share}).",
    Limit.SLOW_LINK: "Transfers between lanes {low} and {high} take {factor} times as long as "
    "others of the same size: that costs {loss} ({share}).",
    Limit.HICCUP: "In step {step} lane {lane} took {taken} for {task} instead of {usual}: that "
    "cost {loss} ({share}) of this step.",
    Limit.IMBALANCE: "Lane {lane} computes for {most}, a lane on average for {mean}: "
    "that costs {loss} ({share}).",
    Limit.SCHEDULE: "The order in which tasks need each other costs {loss} ({share}).",
    Limit.COMMUNICATION: "Moving data costs {loss} ({share}).",
    Limit.HOST: "Tasks take {task}; the host, which starts them, takes longer: that costs {loss} "
    "({share}).",
    Limit.NONE: "No lane, link or step is slower than its peers; balance, order and communication "
    "cost less than a twentieth each.",
}
"""What is said of each, with placeholders, in English; the window translates it. What something
costs is what a step would take less without it."""
