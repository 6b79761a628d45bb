"""Causes of idle time, with their names and sentences."""

from __future__ import annotations

from enum import StrEnum

from core.message import N_
from core.plan.task import Kind


class Cause(StrEnum):
    """Cause of idle time. Tables and legends use this order: append only.

    The value is the id that files contain. There is one `label` and one `sentence` everywhere.
    """

    FILL = "pipeline-fill"
    DRAIN = "pipeline-drain"
    COMPUTE = "other-compute"
    TRANSFER = "transfer"
    COLLECT = "gather-or-reduce"
    SLOWEST_RANK = "slowest-rank"
    COLLECTIVE = "exposed-collective"
    IMBALANCE = "split-imbalance"
    HOST = "host"
    BETWEEN_STEPS = "between-steps"
    NOTHING_TO_MOVE = "nothing-to-move"
    INCOMPLETE = "incomplete"
    NOT_KNOWN = "not-known"
    DATA = "input-data"
    SCATTER = "scatter-rows"
    REPLICATE = "replicate-model"
    LOSS = "loss-for-all"
    UPDATE = "update-for-all"
    OTHER_STREAM = "other-stream"
    UNEXPLAINED = "not-told"

    @property
    def label(self) -> str:
        """English name for the screen, tables and printed text."""
        return _WORDS[self][0]

    @property
    def sentence(self) -> str:
        """Meaning in one English sentence."""
        return _WORDS[self][1]


_WORDS = {
    Cause.FILL: (
        N_("pipeline fills"),
        N_("Before the lane's first pass, an earlier stage computes what that pass needs."),
    ),
    Cause.DRAIN: (
        N_("pipeline drains"),
        N_("After the lane's last pass, other stages still compute."),
    ),
    Cause.COMPUTE: (
        N_("other lane computes"),
        N_("Between the lane's passes, another lane computes what the next one needs."),
    ),
    Cause.TRANSFER: (
        N_("transfer"),
        N_("A copy between lanes delivers the data that the lane needs."),
    ),
    Cause.COLLECT: (
        N_("gather or reduce"),
        N_("One device gathers the outputs or reduces the gradients of all replicas."),
    ),
    Cause.SLOWEST_RANK: (
        N_("slowest rank"),
        N_("The lane is in a collective that its slowest rank has not reached."),
    ),
    Cause.COLLECTIVE: (
        N_("exposed collective"),
        N_("A collective that every rank has reached moves data."),
    ),
    Cause.IMBALANCE: (
        N_("uneven split"),
        N_(
            "A replica with more rows computes or, for a lane without work, any lane. The "
            "whole wait counts, even the part that equal rows would not have avoided."
        ),
    ),
    Cause.HOST: (
        N_("host"),
        N_("Everything was ready, but the work was late: launch, Python, contention."),
    ),
    Cause.BETWEEN_STEPS: (
        N_("between steps"),
        N_(
            "The time is outside of every step, or between a job's update and the first "
            "work of its next step."
        ),
    ),
    Cause.NOTHING_TO_MOVE: (
        N_("nothing to move"),
        N_("A copy or communication lane has nothing to move; not a loss in itself."),
    ),
    Cause.INCOMPLETE: (
        N_("spans missing"),
        N_("The step lacks spans: apparently idle time may be work that was not recorded."),
    ),
    Cause.NOT_KNOWN: (
        N_("not known yet"),
        N_("The step is not over: the next task of the lane is not known yet."),
    ),
    Cause.DATA: (
        N_("waits for data"),
        N_("The next batch is not available yet: the job waits for its data loader."),
    ),
    Cause.SCATTER: (
        N_("scatter"),
        N_("One device sends the replicas their inputs, or the gradients of their outputs."),
    ),
    Cause.REPLICATE: (
        N_("model copy"),
        N_("One device copies the model's parameters to the replicas."),
    ),
    Cause.LOSS: (
        N_("loss for all"),
        N_("One device computes the loss of all replicas."),
    ),
    Cause.UPDATE: (
        N_("update for all"),
        N_("One device updates the parameters of all replicas."),
    ),
    Cause.OTHER_STREAM: (
        N_("other stream works"),
        N_("Another stream of the same device computes; not a loss in itself."),
    ),
    Cause.UNEXPLAINED: (
        N_("unexplained"),
        N_(
            "The lane or device is idle although its next task had been launched, or "
            "neither its launch nor its dependencies are known: the trace does not show "
            "why."
        ),
    ),
}
ACTIONS = {
    Cause.SCATTER: N_("{lane} scatters"),
    Cause.REPLICATE: N_("{lane} copies the model"),
    Cause.COLLECT: N_("{lane} gathers or reduces"),
    Cause.LOSS: N_("{lane} computes the loss"),
    Cause.UPDATE: N_("{lane} updates the model"),
}
"""English phrases for the work of one lane for all replicas while others wait, by cause."""
_COLLECTING = {Kind.GATHER: N_("{lane} gathers"), Kind.REDUCE: N_("{lane} reduces")}


def action_template(cause: Cause, kind: Kind | None) -> str:
    """Return the phrase for a cause of ACTIONS, as exact as the blocking task's kind allows."""
    if cause is Cause.COLLECT and kind in _COLLECTING:
        return _COLLECTING[kind]
    return ACTIONS[cause]


CAUSES: tuple[Cause, ...] = tuple(Cause)
